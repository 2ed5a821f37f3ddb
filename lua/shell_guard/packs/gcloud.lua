-- Google Cloud. Source: cloud.google.com/sdk/gcloud/reference, cloud.google.com/storage/docs/gsutil.

return [[
resources of Google Cloud: gcloud, gsutil, bq, firebase
VALUES = --project --account --configuration --zone --region --location --format --filter
  --impersonate-service-account --verbosity
values * = $VALUES
values bq = --project_id --dataset_id --location --format
values gsutil = -o -h -u -i
delete! | gcloud ** delete|delete-*|remove-*|undeploy|destroy|purge | removes what others may use | Use describe to
  see what it is, and let the user remove it
storage-rm! | gcloud storage rm | removes objects | gcloud storage ls shows what there is
# There, `-n` is `--no-clobber`.
storage-rsync-delete | gcloud storage rsync --delete-unmatched-destination-objects | removes what is not in the source
  | --dry-run shows what would go
gsutil-rsync-delete | gsutil rsync -d ; @unless -n | removes what is not in the source | -n shows what would go
gsutil-rm! | gsutil rm|rb | removes objects | gsutil ls shows what there is
gsutil-acl | gsutil iam|acl|defacl set|ch|remove ; gsutil lifecycle|retention set|clear | changes who reaches a
  bucket, or how long its objects live
bq-rm | bq rm ; bq remove | removes a dataset or a table | bq show shows what it is
stop | gcloud ** stop|reset|suspend|disable|set-iam-policy|untag|abandon-instances | stops what others may use, or
  changes who may use it
iam | gcloud ** add-iam-policy-binding ; gcloud iam service-accounts keys create | changes who may do what
firebase | firebase *:delete|*:remove|*:destroy|*:uninstall|hosting:disable|remoteconfig:rollback|database:set
  | removes what an app uses
]]
