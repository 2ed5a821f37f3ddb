-- Content delivery. Source: developers.cloudflare.com/workers/wrangler/commands,
-- fastly.com/documentation/reference/cli,
-- docs.aws.amazon.com/cli/latest/reference/cloudfront.

return [[
content delivery: Cloudflare Workers, CloudFront, Fastly, Akamai, Bunny
values aws = --profile --region --output --query
values fastly = --token -t --profile
values wrangler = -c --config -e --env --env-file
wrangler-delete | wrangler delete ; wrangler deployments rollback ; wrangler rollback ; wrangler
  kv:key|kv:namespace|kv:bulk delete ; wrangler kv key|namespace|bulk delete ; wrangler r2 object|bucket delete ;
  wrangler r2 bucket ** delete|remove ; wrangler d1 delete ; wrangler d1 time-travel restore ; wrangler
  queues|hyperdrive|vectorize|workflows|dispatch-namespace|pipelines|containers|mtls-certificate|cert delete ;
  wrangler queues purge ; wrangler queues consumer ** remove ; wrangler vectorize delete-vectors|delete-metadata-index
  ; wrangler workflows instances terminate ; wrangler secrets-store store|secret delete ; wrangler containers images
  delete ; wrangler pages project|deployment|secret delete ; wrangler secret delete ; wrangler versions secret delete
  | removes a worker or what it stores
cloudfront | aws cloudfront delete-*|create-invalidation|disassociate-* ; aws cloudfront-keyvaluestore delete-key
  | removes a distribution, or empties its caches
fastly | fastly ** delete|deactivate|purge ; fastly purge ; fastly service-version activate|deactivate ; fastly
  service version activate|deactivate | removes a service or a part of it, or changes what is in use | Use describe or
  list to see what there is
http-delete | @http DELETE api.fastly.com/* api.bunny.net/* | removes a service or a part of it
http-purge | @http POST api.cloudflare.com/*/purge_cache api.fastly.com/*/purge_all api.bunny.net/*/purgeCache
  | empties caches, so that all requests go to the origin
]]
