-- DNS. Source: docs.aws.amazon.com/cli/latest/reference/route53, developers.cloudflare.com/api, bind9.readthedocs.io,
-- doc.powerdns.com.

return [[
DNS: Route 53, Cloudflare, nsupdate, rndc, PowerDNS
values aws = --profile --region --output --query
route53 | aws route53|route53domains|route53resolver delete-*|disassociate-* | removes a zone or what watches it
route53-records | aws route53 change-resource-record-sets --change-batch=*DELETE* | removes records | aws route53
  list-resource-record-sets shows them
cloudflare | wrangler dns-records|dns delete ; flarectl dns|zone|firewall delete|d | removes records or a zone
cloudflare-http | @http DELETE api.cloudflare.com/* | removes records, a zone or its settings | A GET of the same
  address shows what it is
nsupdate | nsupdate ; @says "update delete " ; @says "delete " | removes records | dig shows them
nsupdate-local | nsupdate -l | changes the zones of this machine's server unseen
transfer | dig ** axfr|ixfr | lists a whole zone | Ask for single names
servers | rndc stop|halt|delzone|flush|freeze|nta ; pdnsutil delete-zone|delete-rrset|clear-zone ; unbound-control
  stop|flush_*|local_zone_remove ; knotc zone-purge|stop|conf-unset ; doctl compute domain delete ; gcloud dns **
  delete | removes a zone, or stops a server
domains | @http DELETE api.godaddy.com/* api.dnsimple.com/* api.digitalocean.com/v2/domains/* api.gandi.net/*
  dns.hetzner.com/* | removes records or a domain
]]
