-- Backups. Source: borgbackup.readthedocs.io, restic.readthedocs.io, velero.io/docs, kopia.io/docs, duplicity's manual.

return [[
backups: borg, restic, velero, kopia, duplicity, tmutil, snapper, pgbackrest, wal-g
values borg = --remote-path --rsh
values restic = -r --repo -p --password-file --repository-file
values snapper = -c --config
values velero = -n --namespace --kubeconfig --kubecontext
borg! | borg|borg2 delete|prune|repo-delete|rdelete ; @unless -n | removes backups | --dry-run --list shows what would
  go
borg-change | borg|borg2 compact|recreate|break-lock|config|rename|repo-compress|transfer ; borg|borg2 key !export|key
  ; @unless -n | changes or frees what backups consist of | borg list shows what there is
restic! | restic forget|prune ; @unless -n | removes backups | --dry-run shows what would go
restic-change | restic key remove ; restic unlock --remove-all ; restic cache --cleanup ; restic rewrite --forget ;
  restic repair|rebuild-index|recover | removes keys, locks or data of a repository
velero | velero backup|schedule|restore|backup-location|snapshot-location|snapshot|repo delete ; velero delete ;
  velero uninstall | removes backups | velero backup get shows what there is
kopia | kopia snapshot|snapshots delete ; kopia snapshot|snapshots expire --delete ; kopia repository change-password
  ; kopia policy|manifest delete|remove|rm ; kopia blob|content|index delete|gc|recover | removes backups
duplicity | duplicity remove-older-than|remove-all-but-n-full|remove-all-inc-of-but-n-full|cleanup --force ;
  duplicati-cli delete|purge ; rdiff-backup remove ; rdiff-backup --remove-older-than | removes backups
macos! | tmutil delete|deletelocalsnapshots|deleteinprogress | removes backups | tmutil listbackups shows them
snapshots | snapper delete|remove|rm|rollback|undochange ; timeshift --delete|--delete-all|--restore ; tarsnap -d ;
  tarsnap --nuke | removes or restores snapshots
databases | pgbackrest expire|stanza-delete|restore ; wal-g|wal-e delete ; barman delete ; xtrabackup
  --copy-back|--move-back ; proxmox-backup-client prune ; proxmox-backup-client snapshot|group forget | removes
  backups of a database, or writes them over it
]]
