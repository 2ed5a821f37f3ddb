-- Backups. Source: borgbackup.readthedocs.io, restic.readthedocs.io, velero.io/docs, kopia.io/docs, duplicity's manual.

return {
  about = "backups: borg, restic, velero, kopia, duplicity, tmutil, snapper, pgbackrest, wal-g",
  values = { snapper = "-c --config", restic = "-r --repo -p --password-file --repository-file", velero = "-n --namespace --kubeconfig --kubecontext", borg = "--remote-path --rsh" },
  rules = {
    { "borg", runs = { "borg|borg2 delete|prune|repo-delete|rdelete" }, unless = "-n", strict = true, because = "removes backups", instead = "--dry-run --list shows what would go" },
    { "borg-change", runs = { "borg|borg2 compact|recreate|break-lock|config|rename|repo-compress|transfer", "borg|borg2 key !export|key" }, unless = "-n", because = "changes or frees what backups consist of", instead = "borg list shows what there is" },
    { "restic", runs = "restic forget|prune", unless = "-n", strict = true, because = "removes backups", instead = "--dry-run shows what would go" },
    { "restic-change", runs = { "restic key remove", "restic unlock --remove-all", "restic cache --cleanup", "restic rewrite --forget", "restic repair|rebuild-index|recover" }, because = "removes keys, locks or data of a repository" },
    { "velero", runs = { "velero backup|schedule|restore|backup-location|snapshot-location|snapshot|repo delete", "velero delete", "velero uninstall" }, because = "removes backups", instead = "velero backup get shows what there is" },
    { "kopia", runs = { "kopia snapshot|snapshots delete", "kopia snapshot|snapshots expire --delete", "kopia repository change-password", "kopia policy|manifest delete|remove|rm", "kopia blob|content|index delete|gc|recover" }, because = "removes backups" },
    { "duplicity", runs = { "duplicity remove-older-than|remove-all-but-n-full|remove-all-inc-of-but-n-full|cleanup --force", "duplicati-cli delete|purge", "rdiff-backup remove", "rdiff-backup --remove-older-than" }, because = "removes backups" },
    { "macos", runs = "tmutil delete|deletelocalsnapshots|deleteinprogress", strict = true, because = "removes backups", instead = "tmutil listbackups shows them" },
    { "snapshots", runs = { "snapper delete|remove|rm|rollback|undochange", "timeshift --delete|--delete-all|--restore", "tarsnap -d", "tarsnap --nuke" }, because = "removes or restores snapshots" },
    { "databases", runs = { "pgbackrest expire|stanza-delete|restore", "wal-g|wal-e delete", "barman delete", "xtrabackup --copy-back|--move-back", "proxmox-backup-client prune", "proxmox-backup-client snapshot|group forget" }, because = "removes backups of a database, or writes them over it" },
  },
}
