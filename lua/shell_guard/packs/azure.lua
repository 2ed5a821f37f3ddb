-- Azure. Source: learn.microsoft.com/cli/azure/reference-index, learn.microsoft.com/azure/storage/common/storage-ref-azcopy.

local VALUES = "--subscription -g --resource-group -n --name -o --output --query"

return {
  about = "resources of Azure: az, azcopy, azd",
  values = { ["*"] = VALUES },
  rules = {
    { "group-delete", runs = "az group delete", strict = true, because = "removes a resource group with all that is in it", instead = "az resource list -g NAME shows what is in it" },
    { "delete", runs = "az ** delete|delete-batch|purge|remove|destroy", strict = true, because = "removes what others may use", instead = "Use show to see what it is, and let the user remove it" },
    { "untag", runs = { "az acr repository untag", "az ** deallocate|stop|restart|revoke|disable|regenerate|renew" }, because = "stops what others may use, or takes it away from them" },
    { "azcopy-remove", runs = "azcopy remove|rm", because = "removes blobs", instead = "--dry-run shows what would go" },
    { "azcopy-sync-delete", runs = "azcopy sync --delete-destination", because = "removes what is not in the source", instead = "--dry-run shows what would go" },
    { "azd-down", runs = "azd down", because = "removes infrastructure" },
  },
}
