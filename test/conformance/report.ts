import type { PlannedCase } from './plan.ts';

/** Returns the results as text: a table by system and kind, the cases that are not covered, and each deviation. */
export function reportCases(cases: readonly PlannedCase[], folder: string): string {
  return [
    `Conformance: ${count(cases, 'run')} run + ${count(cases, 'deviated')} deviated + ` +
      `${count(cases, 'notYetCovered')} not yet covered = ${cases.length} cases of ${folder}`,
    ...groupBy(cases, ({ system }) => system).flatMap(([system, own]) => [
      '',
      row([system, 'run', 'deviated', 'not yet', 'all']),
      ...groupBy(own, ({ given }) => given.kind).map(([kind, some]) => row([`  ${kind}`, ...counts(some)])),
      row(['  total', ...counts(own)]),
    ]),
    '',
    'Not yet covered:',
    ...groupBy(cases, reasonOf).map(([reason, some]) => `  ${some.length} × ${reason}`),
    '',
    'Deviations:',
    ...groupBy(cases, deviationOf).map(([rule, some]) => `  ${rule}\n    ${idsOf(some)}`),
  ].join('\n');
}

function counts(cases: readonly PlannedCase[]): readonly string[] {
  return [count(cases, 'run'), count(cases, 'deviated'), count(cases, 'notYetCovered'), cases.length].map(
    String,
  );
}

function count(cases: readonly PlannedCase[], type: PlannedCase['type']): number {
  return cases.filter((planned) => planned.type === type).length;
}

function reasonOf(planned: PlannedCase): string | undefined {
  if (planned.type !== 'notYetCovered') return undefined;
  return `${planned.system} ${planned.given.kind}: ${planned.reason}`;
}

function deviationOf(planned: PlannedCase): string | undefined {
  return planned.type === 'deviated' ? `${planned.deviation.name} (${planned.deviation.reason})` : undefined;
}

function idsOf(cases: readonly PlannedCase[]): string {
  return cases.map(({ given }) => given.id).join(' ');
}

function row([name = '', ...cells]: readonly string[]): string {
  return name.padEnd(24) + cells.map((cell) => cell.padStart(10)).join('');
}

/** Groups items in the order of first appearance; items without a key are left out. */
function groupBy(
  cases: readonly PlannedCase[],
  keyOf: (planned: PlannedCase) => string | undefined,
): readonly (readonly [string, readonly PlannedCase[]])[] {
  const groups = new Map<string, PlannedCase[]>();
  for (const planned of cases) {
    const key = keyOf(planned);
    if (key !== undefined) groups.set(key, [...(groups.get(key) ?? []), planned]);
  }
  return [...groups];
}
