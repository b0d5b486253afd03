import type { VNode } from 'preact';
import type { Finding } from './engine/inspect.ts';
import type { Draft } from './studio-state.ts';

/** What is wrong with a policy, and what is rarely intended: with path, line and cure. */
export function Findings({ draft }: { draft: Draft }): VNode {
  const findings = draft.inspection.value?.findings;
  return (
    <div id={`${draft.id}-findings`} class="findings" aria-live="polite">
      {findings === undefined ? <p class="quiet">Reading …</p> : null}
      {findings?.length === 0 ? <p class="good">Valid, and nothing to warn of.</p> : null}
      <FindingList findings={findings ?? []} whole="the policy" />
    </div>
  );
}

interface FindingListProps {
  readonly findings: readonly Finding[];
  /** What the empty path is called. */
  readonly whole: string;
}

/** Findings, one a line. */
export function FindingList({ findings, whole }: FindingListProps): VNode {
  return (
    <ul>
      {findings.map((finding) => (
        <FindingItem
          key={`${finding.line} ${finding.path} ${finding.message}`}
          finding={finding}
          whole={whole}
        />
      ))}
    </ul>
  );
}

function FindingItem({ finding, whole }: { finding: Finding; whole: string }): VNode {
  const { severity, code, path, line, message, seen, cure } = finding;
  return (
    <li class={severity}>
      <span class="where">{line === undefined ? severity : `${severity} in line ${line}`}</span>{' '}
      <code>{path === '' ? whole : path}</code> {message}
      {seen === undefined ? '.' : `, got ${seen}.`} <span class="cure">{cure}</span>{' '}
      {code === undefined ? null : <code class="quiet">{code}</code>}
    </li>
  );
}
