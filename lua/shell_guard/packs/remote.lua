-- Other machines. Source: the manuals of rsync, scp, ssh-keygen and ssh-add.

return {
  about = "copies to and commands on other machines: rsync, scp, ssh",
  values = { scp = "-P -i -F -o -c -J -l -S -D -X", ssh = "-i -p -l -o -F -J -L -R -D -b -c -e -E -I -m -O -Q -S -W -w -B", rsync = "-e --rsh --exclude --include --filter --files-from --rsync-path --log-file -f -T -M" },
  rules = {
    { "rsync-delete", runs = "rsync --del|--delete|--delete-*|--remove-source-files", unless = "-n --list-only", strict = true, because = "removes what is not in the source", instead = "-n shows what would go" },
    { "scp-system", runs = { "scp ** *:/|*:/etc/*|*:/etc|*:/var/lib/*|*:/boot/*|*:/usr/*|*:/bin/*|*:/sbin/*|*:/lib/*|*:/lib64/*|*:*/.ssh/*" }, last = true, because = "writes over files of another machine's system", instead = "Copy it to a folder of its own" },
    { "ssh-rm", runs = "ssh", says = { "rm -r", "rm -f", " rm ", "rmdir ", "git reset --hard", "git clean -", "mkfs", "dd if=", "shutdown", "reboot" }, because = "removes files of another machine, or stops it", instead = "Look at what is there first: ssh HOST ls" },
    { "known-hosts", runs = "ssh-keygen -R", because = "forgets which key a machine has", instead = "ssh-keygen -F shows it" },
    { "ssh-agent", runs = { "ssh-add -d", "ssh-add -D" }, because = "takes keys away from the agent", instead = "ssh-add -l lists them" },
    { "clusters", runs = "pdsh|pssh|parallel-ssh|clush|fab|cap", says = { "rm -r", "rm -f", "reboot", "shutdown", "destroy", "rollback" }, because = "acts on many machines at once" },
  },
}
