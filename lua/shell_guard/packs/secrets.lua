-- Stores of secrets. Source: developer.hashicorp.com/vault/docs/commands, developer.1password.com/docs/cli,
-- docs.doppler.com,
-- docs.aws.amazon.com/cli/latest/reference/secretsmanager, infisical.com/docs/cli.

return [[
stores of secrets: Vault, 1Password, Doppler, AWS Secrets Manager and SSM, Infisical, Bitwarden, pass, keychains
values aws = --profile --region --output --endpoint-url --query
values doppler = -p --project -c --config -t --token --scope
values op = --account --config --vault --format --session
values vault = -namespace --namespace -address --address -ca-cert -mount
vault-disable | vault secrets|auth|audit|plugin disable|deregister|move | removes all secrets of an engine | vault
  secrets list shows the engines
vault-delete | vault delete ; vault kv delete|destroy ; vault kv metadata delete ; vault policy|namespace delete ;
  vault kv rollback | removes secrets or policies | vault kv get shows what it is
vault-revoke | vault token|lease revoke ; vault operator seal|rekey|rotate|step-down|init ; vault operator raft
  remove-peer | takes access away from programs
vault-http | @http DELETE *:8200/* *vault*/v1/* | removes secrets or policies
onepassword | op item|document|vault|group|user delete|remove|rm|suspend ; op connect token|server|vault|group
  delete|revoke ; op user|group|vault ** revoke ; op account forget ; op item edit | removes or changes what people
  sign in with | op item get shows what it is
doppler | doppler secrets|configs|projects|environments|groups delete ; doppler configs tokens|logs revoke|rollback ;
  doppler configs unlock|reset | removes what programs sign in with | doppler secrets shows what there is
aws | aws secretsmanager delete-*|remove-*|stop-*|cancel-* ; aws ssm delete-* ; aws kms schedule-key-deletion|
  disable-key|delete-* | removes what programs sign in with | Use describe to see what it is
aws-overwrite | aws secretsmanager update-secret|put-secret-value|rotate-secret ; aws ssm put-parameter --overwrite
  | replaces what programs sign in with | Let the user set it
cloud | gcloud secrets delete ; gcloud secrets versions destroy|disable ; gcloud kms keys versions destroy ; az
  keyvault ** delete|purge ; az keyvault delete|purge | removes what programs sign in with
infisical | infisical secrets|folders delete ; infisical secrets folders delete ; bw delete ; bws secret|project
  delete ; bws delete secret|secrets|project|projects ; lpass rm ; pass rm|delete|remove ; gopass rm|delete|remove ;
  keeper rm ; akeyless delete-* | removes what people and programs sign in with
keychain | security delete-* ; secret-tool clear ; gpg|gpg2 --delete-keys|--delete-secret-keys|
  --delete-secret-and-public-key|--delete-key|--delete-secret-key | removes keys
github | gh secret|variable delete|remove ; glab variable delete | changes what pipelines sign in with
]]
