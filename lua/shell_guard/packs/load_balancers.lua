-- Load balancers and reverse proxies. Source: docs.haproxy.org, nginx.org/en/docs, doc.traefik.io,
-- docs.aws.amazon.com/cli.

return [[
load balancers and proxies: ELB, HAProxy, nginx, Traefik, Caddy, Apache, Envoy
STOPS = ends what all requests pass through
CONFIG = removes the configuration of what all requests pass through
RELOAD = Use reload, which keeps connections
values aws = --profile --region --output --query
elb | aws elb|elbv2 delete-*|deregister-*|remove-*|detach-* | $STOPS | Use describe to see what it is
haproxy | haproxy -sf ; haproxy -st | ends the running proxy | haproxy -c checks a configuration; use reload, which
  keeps connections
haproxy-socket | socat|nc ; @says disable server ; @says disable frontend ; @says shutdown sessions ; @says shutdown
  frontend ; @says del server ; @says set server ; @says clear table ; @says disable agent | takes servers out of use
  | show servers state lists them
nginx | nginx -s=stop|-s=quit ; apachectl|apache2ctl|httpd -k=stop|-k=graceful-stop ; apachectl|apache2ctl
  stop|graceful-stop ; caddy stop ; varnishadm stop|ban | $STOPS | $RELOAD
service-stop | systemctl stop|disable|mask|kill nginx|haproxy|traefik|caddy|apache2|httpd|envoy|varnish|nginx.service|
  haproxy.service|traefik.service|keepalived ; service nginx|haproxy|traefik|caddy|apache2|httpd|envoy|varnish stop
  | $STOPS | $RELOAD
config | rm|unlink */etc/haproxy/*|*/etc/nginx/*|*/etc/traefik/*|*/etc/caddy/*|*/etc/apache2/*|*/etc/httpd/*|
  */etc/envoy/* | $CONFIG | Move it to another name
traefik | docker|podman stop|kill|rm traefik*|haproxy*|nginx*|caddy*|envoy* ; kubectl|oc delete ingressroute|ingress|
  gateway|httproute|middleware|ingressroutes ; kubectl|oc delete pod|deployment|deploy|daemonset|service|svc
  traefik*|nginx*|ingress-nginx*|haproxy* | $STOPS | Restart it instead
cloud | gcloud compute forwarding-rules|backend-services|url-maps|target-http-proxies|target-https-proxies|
  target-pools delete ; az network lb|application-gateway|front-door|traffic-manager ** delete ; doctl compute
  load-balancer delete ; hcloud load-balancer delete | $STOPS
http-delete | @http DELETE *:2019/* */v2/services/haproxy/* */v3/services/haproxy/* | $CONFIG
]]
