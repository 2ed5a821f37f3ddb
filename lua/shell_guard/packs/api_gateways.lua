-- API gateways. Source: developer.konghq.com/deck, docs.konghq.com/gateway/api/admin-oss, cloud.google.com/apigee, docs.aws.amazon.com/cli.

return {
  about = "API gateways: Kong, Apigee, AWS API Gateway, Tyk",
  values = { aws = "--profile --region --output --endpoint-url --query", deck = "--kong-addr --headers --config", gcloud = "--project --account --organization" },
  rules = {
    { "kong-reset", runs = { "deck reset", "deck gateway reset" }, because = "removes the whole configuration of a gateway", instead = "deck gateway dump saves it first" },
    { "kong-sync", runs = { "deck sync", "deck gateway sync" }, because = "removes what is not in the file", instead = "deck gateway diff shows the change; deck gateway apply removes nothing" },
    { "kong-delete", http = { "DELETE", "*:8001/*", "*:8444/*" }, because = "removes what requests pass through", instead = "A GET of the same address shows what it is" },
    { "kong-stop", runs = { "kong stop|quit", "kong migrations reset" }, because = "stops a gateway, or empties its database" },
    { "apigee", runs = { "gcloud apigee ** delete|undeploy", "apigeecli ** delete|undeploy|clean|del" }, because = "removes an API or what it needs", instead = "Use list to see what there is" },
    { "aws", runs = "aws apigateway|apigatewayv2 delete-*|flush-*|reset-*", because = "removes an API or a part of it", instead = "aws apigateway get-rest-apis shows what there is" },
    { "tyk", http = { "DELETE", "*/tyk/*" }, because = "removes an API, a key or a policy" },
  },
}
