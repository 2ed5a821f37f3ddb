-- Hosting. Source: the reference of each program: devcenter.heroku.com, vercel.com/docs/cli, docs.netlify.com/cli,
-- fly.io/docs/flyctl,
-- docs.digitalocean.com/reference/doctl, docs.railway.com, render.com/docs/cli.

return [[
apps at hosting services: Heroku, Vercel, Netlify, Fly, Cloudflare, Firebase, DigitalOcean, Railway, Render
values * = -a --app -c --config -r --remote -t --token -s --scope --access-token --context --site
doctl! | doctl ** delete|del|rm|d|destroy | removes what others may use
fly! | flyctl|fly destroy ; flyctl|fly apps|app|machine|machines|m|volumes|volume|vol|redis|postgres|pg|mpg|ips|certs|
  extensions|storage|wireguard|tokens destroy|delete|remove|rm|release|kill|revoke|detach | removes an app
fly-scale | flyctl|fly scale count 0 ; flyctl|fly secrets unset ; flyctl|fly suspend | ends an app, or takes its
  settings away
heroku! | heroku apps:destroy|pg:reset|addons:destroy|destroy|apps:delete|pg:cred*:destroy|redis:*reset|
  domains:remove|domains:clear|pipelines:destroy|certs:remove|spaces:destroy|access:remove|container:rm|repo:reset|
  pg:killall|pg:copy|pg:restore|pg:push|pg:backups:restore|pg:backups:delete|ps:kill|config:unset|drains:remove|
  addons:detach|ps:stop|members:remove|rollback|releases:rollback|keys:clear|keys:remove | removes an app or its
  database
deployments! | vercel|vc|netlify|wrangler|firebase remove|rm|delete|sites:delete|projects:delete|blobs:delete|
  env:unset | removes what is deployed
vercel-settings | vercel|vc|now env|domains|dns|alias|secrets|certs|project|projects|teams|blob|integration|
  integration-resource rm|remove|delete|del|delete-store ; vercel|vc rollback | removes settings of what is deployed
railway | railway down|delete ; railway environment|volume|service|variables delete|remove ; surge teardown ; dokku
  apps:destroy|*:destroy|*:unlink|cleanup ; cf d|delete|delete-*|unbind-*|purge-* ; scalingo destroy ; clever delete ;
  gigalixir apps:destroy|pg:destroy ; deployctl projects|deployments delete ; ibmcloud ** delete|rm ; oci **
  delete|terminate ; linode-cli * delete|rm|rebuild ; hcloud * delete|rebuild|reset|poweroff ; vultr-cli **
  delete|destroy ; scw ** delete|terminate ; exo ** delete|rm ; openstack ** delete|rebuild ; civo ** remove|delete
  | removes what is deployed
http-delete | @http DELETE api.heroku.com/* api.vercel.com/* api.netlify.com/* api.digitalocean.com/* api.render.com/*
  api.machines.dev/* api.hetzner.cloud/* api.linode.com/* | removes what is deployed
]]
