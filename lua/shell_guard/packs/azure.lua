-- Azure. Source: learn.microsoft.com/cli/azure/reference-index,
-- learn.microsoft.com/azure/storage/common/storage-ref-azcopy.

return [[
resources of Azure: az, azcopy, azd
VALUES = --subscription -g --resource-group -n --name -o --output --query
values * = $VALUES
group-delete! | az group delete | removes a resource group with all that is in it | az resource list -g NAME shows
  what is in it
delete! | az ** delete|delete-batch|purge|remove|destroy | removes what others may use | Use show to see what it is,
  and let the user remove it
untag | az acr repository untag ; az ** deallocate|stop|restart|revoke|disable|regenerate|renew | stops what others
  may use, or takes it away from them
azcopy-remove | azcopy remove|rm | removes blobs | --dry-run shows what would go
azcopy-sync-delete | azcopy sync --delete-destination | removes what is not in the source | --dry-run shows what would
  go
azd-down | azd down | removes infrastructure
]]
