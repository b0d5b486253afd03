import type { System } from '@retry/core/dialects/all';
import { ALL_SYSTEMS } from '@retry/core/dialects/all';

const VERDICTS = {
  exact: 'exact',
  range: 'same range, drawn otherwise',
  near: 'nearly',
} as const;

/** The part of `docs/dialects.md` about every system, between its two marks; `npm run systems` writes it. */
export function renderSystems(): string {
  const rows = ALL_SYSTEMS.map(
    ({ name, title, version, documentation, fidelity }) =>
      `| [${title}](#${anchorOf(title)}) | \`${name}\` | ${documentation === undefined ? version : `${version}, by its documentation of ${documentation.readOn}: ${documentation.source}`} | ${VERDICTS[fidelity]} |`,
  );
  return [
    renderVerdicts(),
    '',
    '| System | Module and name | Version | Delays |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
    ...ALL_SYSTEMS.flatMap(renderSystem),
  ].join('\n');
}

function renderVerdicts(): string {
  const measured = ALL_SYSTEMS.filter(({ documentation }) => documentation === undefined);
  const countOf = (fidelity: System['fidelity']): number =>
    measured.filter((system) => system.fidelity === fidelity).length;
  return [
    `Of the ${measured.length} systems that were run, a policy has the delays of ${countOf('exact')} exactly, the range of ${countOf('range')}, and nearly those of ${countOf('near')}.`,
    `None needs a function. The other ${ALL_SYSTEMS.length - measured.length} are by their documentation, and a warning says so.`,
  ].join('\n');
}

/** How near the policy of each system is, as text: the systems by their verdict. */
export function listVerdicts(): string {
  const lines = Object.entries(VERDICTS).map(([fidelity, verdict]) => {
    const found = ALL_SYSTEMS.filter((system) => system.fidelity === fidelity);
    const names = found.map(({ name, documentation }) => (documentation === undefined ? name : `(${name})`));
    return `${verdict}, ${found.length}: ${names.join(', ')}`;
  });
  return [renderVerdicts(), ...lines, 'In brackets: by a documentation.'].join('\n\n');
}

function renderSystem({ title, options, remarks = [] }: System): readonly string[] {
  return [
    `### ${title}`,
    '',
    ...remarks.flatMap((remark) => [`- ${remark}`]),
    ...(remarks.length > 0 ? [''] : []),
    '| Option | Unit | Default | Meaning |',
    '| --- | --- | --- | --- |',
    ...rowsOf(options, ''),
    '',
  ];
}

function rowsOf(options: System['options'], prefix: string): readonly string[] {
  return Object.entries(options).flatMap(([key, { unit, default: shown, meaning, inner }]) => [
    `| \`${prefix}${key}\` | ${unit} | ${shown} | ${meaning} |`,
    ...(inner === undefined ? [] : rowsOf(inner, `${prefix}${key}.`)),
  ]);
}

function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replace(/\s/g, '-');
}

const BEGIN = '<!-- systems: written by npm run systems -->';
const END = '<!-- end of systems -->';

/** Returns the page with the part about every system replaced. */
export function withSystems(page: string): string {
  const [before = '', rest = ''] = page.split(BEGIN);
  const [, after = ''] = rest.split(END);
  return `${before}${BEGIN}\n\n${renderSystems()}\n${END}${after}`;
}
