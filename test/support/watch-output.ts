import { format } from 'node:util';
import { expect } from 'vitest';

const METHODS = ['debug', 'error', 'info', 'log', 'table', 'trace', 'warn'] as const;

/**
 * Hears what `console` writes, and process warnings; they are printed as before. A test that replaces one of them, or that gives a
 * listener to what it tests, lets nothing out.
 *
 * @returns a function that returns what was heard since its last call, with the test that ran and the stack of the code that wrote
 */
export function watchOutput(): () => Error[] {
  let heard: Error[] = [];
  const hear = (text: string, stack = ''): void => {
    const error = new Error(`${expect.getState().currentTestName ?? 'no test'}: it let out ${text}`);
    const [frames = ''] = /\n +at .*/s.exec(stack) ?? [];
    heard.push(Object.assign(error, { stack: `${error.name}: ${error.message}${frames}` }));
  };
  for (const method of METHODS) {
    const print = console[method];
    console[method] = (...values: unknown[]): void => {
      hear(`console.${method}: ${format(...values)}`, new Error('where').stack);
      Reflect.apply(print, console, values);
    };
  }
  process.on('warning', (warning) => hear(String(warning), warning.stack));
  const places = placesOfOutput();
  return () => {
    const left = places.filter(({ object, name, value }) => object[name] !== value);
    for (const { object, name, value } of left) object[name] = value;
    const taken = [...heard, ...left.map(({ name }) => new Error(`it left ${name} replaced: restore it`))];
    heard = [];
    return taken;
  };
}

/** What a file must not leave replaced, as what the files after it in its process let out would not be heard. */
function placesOfOutput(): readonly { object: Record<string, unknown>; name: string; value: unknown }[] {
  const objects = [
    [console, METHODS],
    [process, ['emitWarning']],
    [globalThis, ['reportError']],
  ] as const;
  return objects.flatMap(([given, names]) => {
    const object = given as unknown as Record<string, unknown>; // whose members are read by name
    return names.map((name) => ({ object, name, value: object[name] }));
  });
}
