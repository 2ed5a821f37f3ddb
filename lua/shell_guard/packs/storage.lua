-- Object storage. Source: docs.aws.amazon.com/cli/latest/reference/s3 and s3api, min.io/docs/minio/linux/reference/minio-mc.html,
-- learn.microsoft.com/cli/azure/storage, cloud.google.com/storage/docs, s3tools.org, github.com/peak/s5cmd.

local SHOW = "--dryrun shows what would go"

return {
  about = "object storage: S3, MinIO, Google Cloud Storage, Azure Blobs, s3cmd, s5cmd, rclone",
  values = {
    aws = "--profile --region --output --endpoint-url --query", mc = "--config-dir -C --limit-upload --limit-download", gsutil = "-o -h -u -i",
    s3cmd = "-c --config --host --host-bucket", az = "--subscription -g --resource-group -o --output --query", s5cmd = "--endpoint-url --numworkers",
  },
  rules = {
    { "s3", runs = { "aws s3 rm|rb", "aws s3 sync --delete", "aws s3 mv --recursive" }, because = "removes objects or a bucket", instead = SHOW },
    { "s3api", runs = "aws s3api delete-*", because = "removes objects, a bucket or its settings" },
    { "s3-lifecycle", runs = { "aws s3api put-bucket-lifecycle-configuration|put-bucket-versioning|put-bucket-policy|put-bucket-acl", "aws s3control delete-*" }, because = "changes who reaches a bucket, or how long its objects live" },
    { "minio", runs = { "mc rb|rm", "mc admin bucket|user|policy|group|service remove|delete|rm|disable|unset|detach|stop|restart", "mc ilm remove|rm", "mc ilm rule remove|rm", "mc admin config reset", "mc mirror --remove", "mc mv|undo", "mc alias|replicate|version|event|tag|quota|retention remove|rm|clear|suspend", "mcli rb|rm" }, because = "removes objects, a bucket, or who reaches it", instead = "mc ls shows what there is" },
    { "gcs", runs = { "gsutil rm|rb|mv", "gcloud storage rm", "gcloud storage buckets|objects|managed-folders|folders delete", "gcloud storage rsync --delete-unmatched-destination-objects" }, because = "removes objects or a bucket", instead = "gsutil ls shows what there is" },
    { "gcs-rsync", runs = "gsutil rsync -d", unless = "-n", because = "removes what is not in the source", instead = "-n shows what would go" },
    { "azure-blob", runs = { "az storage account|container|blob|share|file|directory|queue|table|fs|message|entity delete|delete-batch|clear|remove", "az storage fs * delete", "azcopy remove|rm", "azcopy sync --delete-destination" }, because = "removes blobs or what holds them", instead = "--dryrun shows what would go" },
    { "s3cmd", runs = { "s3cmd del|rm|rb|expire|delpolicy|dellifecycle", "s3cmd sync --delete-removed" }, unless = "-n", because = "removes objects or a bucket", instead = "-n shows what would go" },
    { "s3-clients", runs = { "s5cmd rm|rb|mv", "s5cmd sync --delete", "s4cmd del", "b2 rm", "b2 bucket|file|key delete|delete-*", "b2 delete-*", "b2 sync --delete", "swift delete", "ossutil rm", "coscli rm", "tigris bucket|objects delete" }, because = "removes objects or a bucket" },
    { "rclone", runs = "rclone purge|delete|deletefile|sync|rmdirs|rmdir|cleanup|move|moveto|dedupe|bisync|settier", unless = "-n", strict = true, because = "removes what is not in the source", instead = "--dry-run shows what would go; rclone copy removes nothing" },
    { "ceph", runs = { "rados rm|purge|rmpool", "rbd rm|remove", "rbd snap rm|purge|rollback", "ceph osd purge|destroy|rm|out", "ceph osd pool|crush rm|delete|remove", "ceph fs rm|fail", "radosgw-admin user|bucket|object rm|unlink|purge" }, because = "removes objects, images or a pool" },
    { "hdfs", runs = { "hdfs|hadoop dfs|fs -rm|-rmr|-rmdir|-expunge|-truncate", "hdfs namenode -format", "hdfs dfsadmin -deleteBlockPool" }, because = "removes files of a cluster", instead = "hdfs dfs -ls shows what there is" },
    { "http-delete", http = { "DELETE", "*.s3.amazonaws.com/*", "s3.*.amazonaws.com/*", "*.s3.*.amazonaws.com/*", "storage.googleapis.com/*", "*.blob.core.windows.net/*", "*.r2.cloudflarestorage.com/*" }, because = "removes an object" },
  },
}
