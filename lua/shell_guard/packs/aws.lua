-- AWS. Source: docs.aws.amazon.com/cli/latest/reference: the verbs of operations are the same in all services.

return [[
resources of AWS: aws
VALUES = --profile --region --output --endpoint-url --query --ca-bundle --color --cli-read-timeout
  --cli-connect-timeout
values * = $VALUES
s3-rm-recursive! | aws s3 rm --recursive | removes all objects below a prefix | --dryrun shows what would go
s3-rm | aws s3 rm | removes an object | --dryrun shows what would go
s3-rb! | aws s3 rb | removes a bucket | aws s3 ls shows what is in it
s3-sync-delete! | aws s3 sync --delete | removes what is not in the source | --dryrun shows what would go
s3-mv | aws s3 mv --recursive | moves all objects below a prefix | --dryrun shows what would move
delete! | aws * delete-*|terminate-*|remove-*|purge-*|batch-delete-*|deregister-*|release-* ; @unless
  --generate-cli-skeleton | removes what others may use | Use describe or get to see what it is, and let the user
  remove it
stop | aws * stop-*|disable-*|detach-*|revoke-*|cancel-*|disassociate-*|deactivate-*|unsubscribe|reset-*|
  schedule-key-deletion|reboot-*|failover-*|untag-* ; @unless --generate-cli-skeleton | stops or detaches what others
  may use | Let the user do it
change-batch | aws route53 change-resource-record-sets --change-batch=*DELETE*|--change-batch=*delete* | removes DNS
  records | aws route53 list-resource-record-sets shows them
invalidate | aws cloudfront create-invalidation | empties caches, so that all requests go to the origin
put-secret | aws secretsmanager put-secret-value|update-secret|rotate-secret | replaces a secret that programs use
  | Let the user set it
public | aws s3api put-bucket-acl|put-object-acl --acl=public-* ; aws * put-bucket-policy|put-public-access-block|
  put-lifecycle-configuration|put-bucket-lifecycle-configuration | changes who reaches a bucket, or how long its
  objects live
iam | aws iam attach-*|put-*-policy|create-access-key|create-login-profile|update-login-profile|
  update-assume-role-policy|add-user-to-group|create-policy-version|set-default-policy-version | changes who may do
  what | Let the user do it
ecr | aws ecr put-lifecycle-policy | has images removed
scale-to-zero | aws ecs update-service --desired-count=0 ; aws autoscaling * --desired-capacity=0 ; aws autoscaling
  update-auto-scaling-group --max-size=0 | ends everything that a service runs
]]
