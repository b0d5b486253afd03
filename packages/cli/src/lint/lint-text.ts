import { nounText } from '../terminal/counts.ts';
import { printable } from '../terminal/printable.ts';
import { type Screen, wrap } from '../terminal/screen.ts';

/** Something that is wrong (`error`), or valid but rarely meant (`warning`). */
export interface Finding {
  /** The file as it was given; `(policy)` for JSON and standard input. */
  readonly file: string;
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly path: string;
  readonly message: string;
  readonly cure: string;
}

/** What `retry lint` prints. */
interface LintReport {
  readonly policies: number;
  readonly findings: readonly Finding[];
}

/** Returns the findings, grouped by file, and a last line that counts them. */
export function lintText(report: LintReport, screen: Screen): string {
  const groups = new Map<string, string[]>();
  for (const finding of report.findings) {
    const group = groups.get(finding.file) ?? [screen.paint('strong', printable(finding.file))];
    group.push(findingText(finding, screen));
    groups.set(finding.file, group);
  }
  return [...[...groups.values()].map((group) => group.join('\n')), summary(report)].join('\n\n');
}

function findingText({ severity, code, path, message, cure }: Finding, screen: Screen): string {
  const style = severity === 'error' ? 'bad' : 'warning';
  const indent = '    ';
  const colon = severity === 'error' ? '' : ':';
  const where = path === '' ? 'the policy' : printable(path);
  const what = wrap(`${where}${colon} ${printable(message)}.`, screen.width - 4);
  const lines = [...what.split('\n'), ...wrap(printable(cure), screen.width - 4).split('\n')];
  return [`  ${screen.paint(style, code)}`, ...lines.map((line) => indent + line)].join('\n');
}

function summary({ policies, findings }: LintReport): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const checked = nounText(policies, 'policy', 'policies');
  if (findings.length === 0) return `${checked}: nothing found.`;
  return `${checked}: ${nounText(errors, 'error')}, ${nounText(findings.length - errors, 'warning')}.`;
}
