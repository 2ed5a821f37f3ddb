-- Stores of secrets. Source: developer.hashicorp.com/vault/docs/commands, developer.1password.com/docs/cli, docs.doppler.com,
-- docs.aws.amazon.com/cli/latest/reference/secretsmanager, infisical.com/docs/cli.

return {
  about = "stores of secrets: Vault, 1Password, Doppler, AWS Secrets Manager and SSM, Infisical, Bitwarden, pass, keychains",
  values = {
    vault = "-namespace --namespace -address --address -ca-cert -mount", op = "--account --config --vault --format --session",
    doppler = "-p --project -c --config -t --token --scope", aws = "--profile --region --output --endpoint-url --query",
  },
  rules = {
    { "vault-disable", runs = "vault secrets|auth|audit|plugin disable|deregister|move", because = "removes all secrets of an engine", instead = "vault secrets list shows the engines" },
    { "vault-delete", runs = { "vault delete", "vault kv delete|destroy", "vault kv metadata delete", "vault policy|namespace delete", "vault kv rollback" }, because = "removes secrets or policies", instead = "vault kv get shows what it is" },
    { "vault-revoke", runs = { "vault token|lease revoke", "vault operator seal|rekey|rotate|step-down|init", "vault operator raft remove-peer" }, because = "takes access away from programs" },
    { "vault-http", http = { "DELETE", "*:8200/*", "*vault*/v1/*" }, because = "removes secrets or policies" },
    { "onepassword", runs = { "op item|document|vault|group|user delete|remove|rm|suspend", "op connect token|server|vault|group delete|revoke", "op user|group|vault ** revoke", "op account forget", "op item edit" }, because = "removes or changes what people sign in with", instead = "op item get shows what it is" },
    { "doppler", runs = { "doppler secrets|configs|projects|environments|groups delete", "doppler configs tokens|logs revoke|rollback", "doppler configs unlock|reset" }, because = "removes what programs sign in with", instead = "doppler secrets shows what there is" },
    { "aws", runs = { "aws secretsmanager delete-*|remove-*|stop-*|cancel-*", "aws ssm delete-*", "aws kms schedule-key-deletion|disable-key|delete-*" }, because = "removes what programs sign in with", instead = "Use describe to see what it is" },
    { "aws-overwrite", runs = { "aws secretsmanager update-secret|put-secret-value|rotate-secret", "aws ssm put-parameter --overwrite" }, because = "replaces what programs sign in with", instead = "Let the user set it" },
    { "cloud", runs = { "gcloud secrets delete", "gcloud secrets versions destroy|disable", "gcloud kms keys versions destroy", "az keyvault ** delete|purge", "az keyvault delete|purge" }, because = "removes what programs sign in with" },
    { "infisical", runs = { "infisical secrets|folders delete", "infisical secrets folders delete", "bw delete", "bws secret|project delete", "bws delete secret|secrets|project|projects", "lpass rm", "pass rm|delete|remove", "gopass rm|delete|remove", "keeper rm", "akeyless delete-*" }, because = "removes what people and programs sign in with" },
    { "keychain", runs = { "security delete-*", "secret-tool clear", "gpg|gpg2 --delete-keys|--delete-secret-keys|--delete-secret-and-public-key|--delete-key|--delete-secret-key" }, because = "removes keys" },
    { "github", runs = { "gh secret|variable delete|remove", "glab variable delete" }, because = "changes what pipelines sign in with" },
  },
}
