import type { VNode } from 'preact';
import { useCompletion } from './completion.ts';
import { CompletionList } from './completion-list.tsx';
import type { Finding } from './engine/inspect.ts';
import type { Draft, StudioState } from './studio-state.ts';

interface EditorProps {
  readonly draft: Draft;
  readonly engine: StudioState['engine'];
  readonly label: string;
}

const MIN_ROWS = 12;

/** A text of JSON with line numbers, marks at lines with findings, and completion. */
export function Editor({ draft, engine, label }: EditorProps): VNode {
  const { text, inspection } = draft;
  const completion = useCompletion(draft, engine);
  const rows = Math.max(text.value.split('\n').length + 1, MIN_ROWS);
  const { choices } = completion.offered ?? { choices: [] };
  const listId = `${draft.id}-choices`;
  return (
    <div class="editor">
      <LineNumbers rows={rows} findings={inspection.value?.findings ?? []} />
      <textarea
        ref={completion.area}
        aria-label={label}
        aria-autocomplete="list"
        aria-controls={choices.length > 0 ? listId : undefined}
        aria-activedescendant={choices.length > 0 ? `${listId}-${completion.chosen}` : undefined}
        aria-describedby={`${draft.id}-findings`}
        spellcheck={false}
        autocomplete="off"
        wrap="off"
        rows={rows}
        value={text.value}
        onInput={completion.onInput}
        onKeyDown={completion.onKeyDown}
        onBlur={completion.close}
        onClick={completion.close}
      />
      <CompletionList id={listId} text={text.value} completion={completion} />
    </div>
  );
}

function LineNumbers({ rows, findings }: { rows: number; findings: readonly Finding[] }): VNode {
  const lines = Array.from({ length: rows }, (_, index) => index + 1);
  const severityOf = (line: number): string =>
    findings
      .filter((finding) => finding.line === line)
      .map(({ severity }) => severity)
      .sort()[0] ?? '';
  return (
    <div class="line-numbers" aria-hidden="true">
      {lines.map((line) => (
        <span key={line} class={severityOf(line)}>
          {line}
        </span>
      ))}
    </div>
  );
}
