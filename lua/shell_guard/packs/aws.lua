-- AWS. Source: docs.aws.amazon.com/cli/latest/reference: the verbs of operations are the same in all services.

local VALUES = "--profile --region --output --endpoint-url --query --ca-bundle --color --cli-read-timeout --cli-connect-timeout"

return {
  about = "resources of AWS: aws",
  values = { ["*"] = VALUES },
  rules = {
    { "s3-rm-recursive", runs = "aws s3 rm --recursive", strict = true, because = "removes all objects below a prefix", instead = "--dryrun shows what would go" },
    { "s3-rm", runs = "aws s3 rm", because = "removes an object", instead = "--dryrun shows what would go" },
    { "s3-rb", runs = "aws s3 rb", strict = true, because = "removes a bucket", instead = "aws s3 ls shows what is in it" },
    { "s3-sync-delete", runs = "aws s3 sync --delete", strict = true, because = "removes what is not in the source", instead = "--dryrun shows what would go" },
    { "s3-mv", runs = "aws s3 mv --recursive", because = "moves all objects below a prefix", instead = "--dryrun shows what would move" },
    {
      "delete", runs = "aws * delete-*|terminate-*|remove-*|purge-*|batch-delete-*|deregister-*|release-*", strict = true, unless = "--generate-cli-skeleton",
      because = "removes what others may use", instead = "Use describe or get to see what it is, and let the user remove it",
    },
    {
      "stop", runs = { "aws * stop-*|disable-*|detach-*|revoke-*|cancel-*|disassociate-*|deactivate-*|unsubscribe|reset-*|schedule-key-deletion|reboot-*|failover-*|untag-*" },
      unless = "--generate-cli-skeleton",
      because = "stops or detaches what others may use", instead = "Let the user do it",
    },
    { "change-batch", runs = "aws route53 change-resource-record-sets --change-batch=*DELETE*|--change-batch=*delete*", because = "removes DNS records", instead = "aws route53 list-resource-record-sets shows them" },
    { "invalidate", runs = "aws cloudfront create-invalidation", because = "empties caches, so that all requests go to the origin" },
    { "put-secret", runs = "aws secretsmanager put-secret-value|update-secret|rotate-secret", because = "replaces a secret that programs use", instead = "Let the user set it" },
    { "public", runs = { "aws s3api put-bucket-acl|put-object-acl --acl=public-*", "aws * put-bucket-policy|put-public-access-block|put-lifecycle-configuration|put-bucket-lifecycle-configuration" }, because = "changes who reaches a bucket, or how long its objects live" },
    {
      "iam", runs = "aws iam attach-*|put-*-policy|create-access-key|create-login-profile|update-login-profile|update-assume-role-policy|add-user-to-group|create-policy-version|set-default-policy-version",
      because = "changes who may do what", instead = "Let the user do it",
    },
    { "ecr", runs = "aws ecr put-lifecycle-policy", because = "has images removed" },
    { "scale-to-zero", runs = { "aws ecs update-service --desired-count=0", "aws autoscaling * --desired-capacity=0", "aws autoscaling update-auto-scaling-group --max-size=0" }, because = "ends everything that a service runs" },
  },
}
