-- Object storage. Source: docs.aws.amazon.com/cli/latest/reference/s3 and s3api,
-- min.io/docs/minio/linux/reference/minio-mc.html,
-- learn.microsoft.com/cli/azure/storage, cloud.google.com/storage/docs, s3tools.org, github.com/peak/s5cmd.

return [[
object storage: S3, MinIO, Google Cloud Storage, Azure Blobs, s3cmd, s5cmd, rclone
SHOW = --dryrun shows what would go
values aws = --profile --region --output --endpoint-url --query
values az = --subscription -g --resource-group -o --output --query
values gsutil = -o -h -u -i
values mc = --config-dir -C --limit-upload --limit-download
values s3cmd = -c --config --host --host-bucket
values s5cmd = --endpoint-url --numworkers
values gcloud = --project --account --configuration --zone --region --location --format --filter
  --impersonate-service-account --verbosity
values azcopy = --subscription -g --resource-group -n --name -o --output --query
s3 | aws s3 rm|rb ; aws s3 sync --delete ; aws s3 mv --recursive | removes objects or a bucket | $SHOW
s3api | aws s3api delete-* | removes objects, a bucket or its settings
s3-lifecycle | aws s3api put-bucket-lifecycle-configuration|put-bucket-versioning|put-bucket-policy|put-bucket-acl ;
  aws s3control delete-* | changes who reaches a bucket, or how long its objects live
minio | mc rb|rm ; mc admin bucket|user|policy|group|service remove|delete|rm|disable|unset|detach|stop|restart ; mc
  ilm remove|rm ; mc ilm rule remove|rm ; mc admin config reset ; mc mirror --remove ; mc mv|undo ; mc
  alias|replicate|version|event|tag|quota|retention remove|rm|clear|suspend ; mcli rb|rm | removes objects, a bucket,
  or who reaches it | mc ls shows what there is
gcs | gsutil rm|rb|mv ; gcloud storage rm ; gcloud storage buckets|objects|managed-folders|folders delete ; gcloud
  storage rsync --delete-unmatched-destination-objects | removes objects or a bucket | gsutil ls shows what there is
gcs-rsync | gsutil rsync -d ; @unless -n | removes what is not in the source | -n shows what would go
azure-blob | az storage account|container|blob|share|file|directory|queue|table|fs|message|entity
  delete|delete-batch|clear|remove ; az storage fs * delete ; azcopy remove|rm ; azcopy sync --delete-destination
  | removes blobs or what holds them | $SHOW
s3cmd | s3cmd del|rm|rb|expire|delpolicy|dellifecycle ; s3cmd sync --delete-removed ; @unless -n | removes objects or
  a bucket | -n shows what would go
s3-clients | s5cmd rm|rb|mv ; s5cmd sync --delete ; s4cmd del ; b2 rm ; b2 bucket|file|key delete|delete-* ; b2
  delete-* ; b2 sync --delete ; swift delete ; ossutil rm ; coscli rm ; tigris bucket|objects delete | removes objects
  or a bucket
rclone! | rclone purge|delete|deletefile|sync|rmdirs|rmdir|cleanup|move|moveto|dedupe|bisync|settier ; @unless -n
  | removes what is not in the source | --dry-run shows what would go; rclone copy removes nothing
ceph | rados rm|purge|rmpool ; rbd rm|remove ; rbd snap rm|purge|rollback ; ceph osd purge|destroy|rm|out ; ceph osd
  pool|crush rm|delete|remove ; ceph fs rm|fail ; radosgw-admin user|bucket|object rm|unlink|purge | removes objects,
  images or a pool
hdfs | hdfs|hadoop dfs|fs -rm|-rmr|-rmdir|-expunge|-truncate ; hdfs namenode -format ; hdfs dfsadmin -deleteBlockPool
  | removes files of a cluster | hdfs dfs -ls shows what there is
http-delete | @http DELETE *.s3.amazonaws.com/* s3.*.amazonaws.com/* *.s3.*.amazonaws.com/* storage.googleapis.com/*
  *.blob.core.windows.net/* *.r2.cloudflarestorage.com/* | removes an object
]]
