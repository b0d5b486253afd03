/** The exit statuses of the program. `retry run` passes on those of its command as well. */
export const EXIT = {
  fine: 0,
  /** Something was found: a lint warning, a difference, a dependency that stays down. */
  found: 1,
  /** Wrong arguments, or a policy that is not valid. */
  usage: 2,
  /** The server cannot be reached, or cannot be used: credentials, rights, a missing migration, no such queue. */
  unreachable: 3,
  /** A bug of ours; `--verbose` prints the stack. */
  internal: 70,
} as const;
