-- API gateways. Source: developer.konghq.com/deck, docs.konghq.com/gateway/api/admin-oss, cloud.google.com/apigee,
-- docs.aws.amazon.com/cli.

return [[
API gateways: Kong, Apigee, AWS API Gateway, Tyk
values aws = --profile --region --output --endpoint-url --query
values deck = --kong-addr --headers --config
values gcloud = --project --account --organization
kong-reset | deck reset ; deck gateway reset | removes the whole configuration of a gateway | deck gateway dump saves
  it first
kong-sync | deck sync ; deck gateway sync | removes what is not in the file | deck gateway diff shows the change; deck
  gateway apply removes nothing
kong-delete | @http DELETE *:8001/* *:8444/* | removes what requests pass through | A GET of the same address shows
  what it is
kong-stop | kong stop|quit ; kong migrations reset | stops a gateway, or empties its database
apigee | gcloud apigee ** delete|undeploy ; apigeecli ** delete|undeploy|clean|del | removes an API or what it needs
  | Use list to see what there is
aws | aws apigateway|apigatewayv2 delete-*|flush-*|reset-* | removes an API or a part of it | aws apigateway
  get-rest-apis shows what there is
tyk | @http DELETE */tyk/* | removes an API, a key or a policy
]]
