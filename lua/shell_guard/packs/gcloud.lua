-- Google Cloud. Source: cloud.google.com/sdk/gcloud/reference, cloud.google.com/storage/docs/gsutil.

local VALUES = "--project --account --configuration --zone --region --location --format --filter --impersonate-service-account --verbosity"

return {
  about = "resources of Google Cloud: gcloud, gsutil, bq, firebase",
  values = { ["*"] = VALUES, gsutil = "-o -h -u -i", bq = "--project_id --dataset_id --location --format" },
  rules = {
    {
      "delete", runs = "gcloud ** delete|delete-*|remove-*|undeploy|destroy|purge", strict = true,
      because = "removes what others may use", instead = "Use describe to see what it is, and let the user remove it",
    },
    { "storage-rm", runs = "gcloud storage rm", strict = true, because = "removes objects", instead = "gcloud storage ls shows what there is" },
    -- There, `-n` is `--no-clobber`.
    { "storage-rsync-delete", runs = "gcloud storage rsync --delete-unmatched-destination-objects", because = "removes what is not in the source", instead = "--dry-run shows what would go" },
    { "gsutil-rsync-delete", runs = "gsutil rsync -d", unless = "-n", because = "removes what is not in the source", instead = "-n shows what would go" },
    { "gsutil-rm", runs = "gsutil rm|rb", strict = true, because = "removes objects", instead = "gsutil ls shows what there is" },
    { "gsutil-acl", runs = { "gsutil iam|acl|defacl set|ch|remove", "gsutil lifecycle|retention set|clear" }, because = "changes who reaches a bucket, or how long its objects live" },
    { "bq-rm", runs = { "bq rm", "bq remove" }, because = "removes a dataset or a table", instead = "bq show shows what it is" },
    { "stop", runs = { "gcloud ** stop|reset|suspend|disable|set-iam-policy|untag|abandon-instances" }, because = "stops what others may use, or changes who may use it" },
    { "iam", runs = { "gcloud ** add-iam-policy-binding", "gcloud iam service-accounts keys create" }, because = "changes who may do what" },
    { "firebase", runs = { "firebase *:delete|*:remove|*:destroy|*:uninstall|hosting:disable|remoteconfig:rollback|database:set" }, because = "removes what an app uses" },
  },
}
