-- Load balancers and reverse proxies. Source: docs.haproxy.org, nginx.org/en/docs, doc.traefik.io, docs.aws.amazon.com/cli.

local STOPS = "ends what all requests pass through"
local CONFIG = "removes the configuration of what all requests pass through"
local RELOAD = "Use reload, which keeps connections"

return {
  about = "load balancers and proxies: ELB, HAProxy, nginx, Traefik, Caddy, Apache, Envoy",
  values = { aws = "--profile --region --output --query" },
  rules = {
    { "elb", runs = "aws elb|elbv2 delete-*|deregister-*|remove-*|detach-*", because = STOPS, instead = "Use describe to see what it is" },
    { "haproxy", runs = { "haproxy -sf", "haproxy -st" }, because = "ends the running proxy", instead = "haproxy -c checks a configuration; " .. RELOAD:lower() },
    { "haproxy-socket", runs = "socat|nc", says = { "disable server", "disable frontend", "shutdown sessions", "shutdown frontend", "del server", "set server", "clear table", "disable agent" }, because = "takes servers out of use", instead = "show servers state lists them" },
    { "nginx", runs = { "nginx -s=stop|-s=quit", "apachectl|apache2ctl|httpd -k=stop|-k=graceful-stop", "apachectl|apache2ctl stop|graceful-stop", "caddy stop", "varnishadm stop|ban" }, because = STOPS, instead = RELOAD },
    { "service-stop", runs = { "systemctl stop|disable|mask|kill nginx|haproxy|traefik|caddy|apache2|httpd|envoy|varnish|nginx.service|haproxy.service|traefik.service|keepalived", "service nginx|haproxy|traefik|caddy|apache2|httpd|envoy|varnish stop" }, because = STOPS, instead = RELOAD },
    { "config", runs = { "rm|unlink */etc/haproxy/*|*/etc/nginx/*|*/etc/traefik/*|*/etc/caddy/*|*/etc/apache2/*|*/etc/httpd/*|*/etc/envoy/*" }, because = CONFIG, instead = "Move it to another name" },
    { "traefik", runs = { "docker|podman stop|kill|rm traefik*|haproxy*|nginx*|caddy*|envoy*", "kubectl|oc delete ingressroute|ingress|gateway|httproute|middleware|ingressroutes", "kubectl|oc delete pod|deployment|deploy|daemonset|service|svc traefik*|nginx*|ingress-nginx*|haproxy*" }, because = STOPS, instead = "Restart it instead" },
    { "cloud", runs = { "gcloud compute forwarding-rules|backend-services|url-maps|target-http-proxies|target-https-proxies|target-pools delete", "az network lb|application-gateway|front-door|traffic-manager ** delete", "doctl compute load-balancer delete", "hcloud load-balancer delete" }, because = STOPS },
    { "http-delete", http = { "DELETE", "*:2019/*", "*/v2/services/haproxy/*", "*/v3/services/haproxy/*" }, because = CONFIG },
  },
}
