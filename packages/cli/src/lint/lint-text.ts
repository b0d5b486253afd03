import { printable } from '../terminal/printable.ts';
import { type Screen, wrap } from '../terminal/screen.ts';
import type { Finding, PolicyLocation } from './finding.ts';
import type { LintReport } from './lint-report.ts';

/** Returns the findings, grouped by policy, and a last line that counts them. */
export function lintText(report: LintReport, screen: Screen): string {
  const { findings, unread } = report;
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const place = placeOf(finding);
    groups.set(place, [...(groups.get(place) ?? []), finding]);
  }
  const blocks = [...groups].map(([place, group]) =>
    [screen.paint('strong', place), ...group.map((finding) => findingText(finding, screen))].join('\n'),
  );
  const notes = unread.map(({ reason, ...place }) =>
    wrap(`${placeOf(place)}: not checked; ${reason}`, screen.width, '  '),
  );
  return [...blocks, ...(notes.length > 0 ? [notes.join('\n')] : []), summary(report)].join('\n\n');
}

function placeOf({ file, line, column, call }: PolicyLocation): string {
  const position = line === undefined ? '' : `:${line}:${column}`;
  return printable(`${file}${position}${call === undefined ? '' : ` ${call}`}`);
}

function findingText({ severity, code, path, message, cure }: Finding, screen: Screen): string {
  const style = severity === 'error' ? 'bad' : 'warning';
  const indent = '    ';
  const colon = severity === 'error' ? '' : ':';
  const what = wrap(`${path === '' ? 'the policy' : path}${colon} ${printable(message)}.`, screen.width - 4);
  const lines = [...what.split('\n'), ...wrap(printable(cure), screen.width - 4).split('\n')];
  return [`  ${screen.paint(style, code)}`, ...lines.map((line) => indent + line)].join('\n');
}

function summary({ files, policies, findings, unread }: LintReport): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const warnings = findings.length - errors;
  const checked = `${count(policies, 'policy', 'policies')} in ${count(files, 'file', 'files')}`;
  const left = unread.length === 0 ? '' : `; ${unread.length} not checked`;
  if (findings.length === 0) return `${checked}: nothing found${left}.`;
  return `${checked}: ${count(errors, 'error', 'errors')}, ${count(warnings, 'warning', 'warnings')}${left}.`;
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
