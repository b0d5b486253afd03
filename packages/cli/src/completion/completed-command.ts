/** A command as a shell has to know it. */
export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly {
    readonly flag: string;
    readonly summary: string;
    readonly takesValue: boolean;
  }[];
  /** The values of its first argument, where those are known. */
  readonly choices: readonly string[];
  /** The commands of a group. */
  readonly commands: readonly CompletedCommand[];
  /** Whether its arguments are files. */
  readonly takesFiles: boolean;
}
