import type { Finding } from './finding.ts';

/** What `retry lint` prints. */
export interface LintReport {
  readonly files: number;
  readonly policies: number;
  readonly findings: readonly Finding[];
  /** Policies that the file alone does not show, and files that could not be parsed. */
  readonly unread: readonly Unread[];
}

/** Something that was not checked, and why. */
export interface Unread {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly call?: string;
  readonly reason: string;
}
