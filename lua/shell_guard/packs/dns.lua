-- DNS. Source: docs.aws.amazon.com/cli/latest/reference/route53, developers.cloudflare.com/api, bind9.readthedocs.io, doc.powerdns.com.

return {
  about = "DNS: Route 53, Cloudflare, nsupdate, rndc, PowerDNS",
  values = { aws = "--profile --region --output --query" },
  rules = {
    { "route53", runs = "aws route53|route53domains|route53resolver delete-*|disassociate-*", because = "removes a zone or what watches it" },
    { "route53-records", runs = "aws route53 change-resource-record-sets --change-batch=*DELETE*", because = "removes records", instead = "aws route53 list-resource-record-sets shows them" },
    { "cloudflare", runs = { "wrangler dns-records|dns delete", "flarectl dns|zone|firewall delete|d" }, because = "removes records or a zone" },
    { "cloudflare-http", http = { "DELETE", "api.cloudflare.com/*" }, because = "removes records, a zone or its settings", instead = "A GET of the same address shows what it is" },
    { "nsupdate", runs = "nsupdate", says = { "update delete ", "delete " }, because = "removes records", instead = "dig shows them" },
    { "nsupdate-local", runs = "nsupdate -l", because = "changes the zones of this machine's server unseen" },
    { "transfer", runs = { "dig ** axfr|ixfr" }, because = "lists a whole zone", instead = "Ask for single names" },
    { "servers", runs = { "rndc stop|halt|delzone|flush|freeze|nta", "pdnsutil delete-zone|delete-rrset|clear-zone", "unbound-control stop|flush_*|local_zone_remove", "knotc zone-purge|stop|conf-unset", "doctl compute domain delete", "gcloud dns ** delete" }, because = "removes a zone, or stops a server" },
    { "domains", http = { "DELETE", "api.godaddy.com/*", "api.dnsimple.com/*", "api.digitalocean.com/v2/domains/*", "api.gandi.net/*", "dns.hetzner.com/*" }, because = "removes records or a domain" },
  },
}
