import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

interface NumberFieldProps {
  readonly label: string;
  /** `undefined` shows an empty field. */
  readonly value: number | undefined;
  readonly min: number;
  readonly max: number;
  readonly step?: number;
  readonly onChange: (amount: number) => void;
  /** What an emptied field means; without it, an emptied field changes nothing. */
  readonly onEmpty?: () => void;
}

/** A number with its label; what is not within the bounds changes nothing, and the browser says why. */
export function NumberField({ label, value, min, max, step, onChange, onEmpty }: NumberFieldProps): VNode {
  // What is being written stays, however often the page is drawn meanwhile, until it is a value.
  const [unfinished, setUnfinished] = useState<string | undefined>();
  return (
    <label>
      <span>{label}</span>
      <input
        type="number"
        value={unfinished ?? value ?? ''}
        min={min}
        max={max}
        step={step ?? 1}
        required={onEmpty === undefined}
        onInput={({ currentTarget }) => {
          const { value: written, validity, valueAsNumber } = currentTarget;
          setUnfinished(validity.valid ? undefined : written);
          if (written === '' && validity.valid) onEmpty?.();
          else if (validity.valid) onChange(valueAsNumber);
        }}
      />
    </label>
  );
}

interface SelectFieldProps<Choice extends string> {
  readonly label: string;
  readonly value: Choice;
  readonly choices: Readonly<Record<Choice, string>>;
  readonly onChange: (choice: Choice) => void;
}

/** One of a few choices. */
export function SelectField<Choice extends string>(props: SelectFieldProps<Choice>): VNode {
  const { label, value, choices, onChange } = props;
  const entries = Object.entries<string>(choices);
  return (
    <label>
      <span>{label}</span>
      <select
        value={value}
        onChange={({ currentTarget }) => {
          onChange(currentTarget.value as Choice); // the options are the keys of choices
        }}
      >
        {entries.map(([choice, text]) => (
          <option key={choice} value={choice}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  /** Whether the field has the focus when it appears. */
  readonly isFocused?: boolean;
  /** The key that goes to it. */
  readonly keyName?: string;
  readonly onChange: (text: string) => void;
}

/** One line of text. */
export function TextField({ label, value, isFocused, keyName, onChange }: TextFieldProps): VNode {
  const input = useRef<HTMLInputElement>(null);
  // Not after the page is painted: the first letters would go elsewhere.
  useLayoutEffect(() => {
    if (isFocused === true) input.current?.focus();
  }, [isFocused]);
  return (
    <label class="wide">
      <span>{label}</span>
      <input
        ref={input}
        data-key={keyName}
        type="text"
        dir="auto"
        autocomplete="off"
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </label>
  );
}
