import Glibc

// What this program writes down is what people said: it is for its owner only.
umask(0o077)

exit(await Program.main(Array(CommandLine.arguments.dropFirst())))
