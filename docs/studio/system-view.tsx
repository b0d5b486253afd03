import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Finding } from './engine/inspect.ts';
import type { Converted, SystemName } from './engine/read-system.ts';
import { FindingList } from './findings.tsx';
import type { StudioState } from './studio-state.ts';

/** Takes the options of another system, as `retry from` does: what they mean becomes the policy. */
export function SystemView({ studio }: { studio: StudioState }): VNode {
  const systems = useSystems(studio);
  const [name, setName] = useState('bullmq');
  const [options, setOptions] = useState('');
  const [findings, setFindings] = useState<readonly Finding[] | string>([]);
  const convert = (event: Event): void => {
    event.preventDefault();
    const show = ({ text, findings: found }: Converted): void => {
      const [draft] = studio.drafts.value;
      if (text !== undefined && draft !== undefined) draft.text.value = text;
      setFindings(found);
    };
    const text = options.trim() === '' ? '{}' : options;
    studio.engine
      .ask({ type: 'from', system: name, text })
      .then(show, ({ message }: Error) => setFindings(message));
  };
  return (
    <details class="from">
      <summary>Start from another system</summary>
      <p class="lead">
        The options that you have there, in its own names and units, become the policy; without options, its
        defaults.
      </p>
      <form onSubmit={convert}>
        <p class="row">
          <SystemField systems={systems} value={name} onChange={setName} />
          <button type="submit" class="main">
            Convert
          </button>
        </p>
        <label>
          <span>its options, as JSON</span>
          <textarea
            rows={4}
            spellcheck={false}
            placeholder="{}"
            value={options}
            onInput={({ currentTarget }) => setOptions(currentTarget.value)}
          />
        </label>
      </form>
      <div class="findings" aria-live="polite">
        {typeof findings === 'string' ? (
          <p class="error">{findings}</p>
        ) : (
          <FindingList findings={findings} whole="the options" />
        )}
      </div>
    </details>
  );
}

function useSystems({ engine }: StudioState): readonly SystemName[] {
  const [systems, setSystems] = useState<readonly SystemName[]>([]);
  useEffect(() => {
    // The studio says itself when its engine fails.
    engine.ask({ type: 'systems' }).then(setSystems, () => {});
  }, [engine]);
  return systems;
}

interface SystemFieldProps {
  readonly systems: readonly SystemName[];
  readonly value: string;
  readonly onChange: (name: string) => void;
}

function SystemField({ systems, value, onChange }: SystemFieldProps): VNode {
  return (
    <label>
      <span>system</span>
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {systems.map(({ name, title }) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}
