import { ReadStream } from 'node:tty';
import type { CliEnvironment, OutputStream } from '../environment.ts';
import { printableOutput } from '../terminal/printable.ts';

/** The alternate screen without a cursor, so that what stood there comes back. */
const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[?25h\u001b[?1049l';

/** Moves the cursor to the top left; each line is cleared behind its text, then all below, so that nothing flickers. */
const HOME = '\u001b[H';
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

/** `q`, Ctrl-C and Ctrl-D: in raw mode keys are no signals. */
const END_KEYS = ['q', 'Q', '\u0003', '\u0004'] as const;

/** Alone it is a key; other keys begin with it. */
const ESCAPE = '\u001b';

const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Takes the terminal, if there is one to show on and to read keys from. */
export function openFullScreen({ stdin, stdout }: CliEnvironment): FullScreen | undefined {
  return stdout.isTTY === true && stdin instanceof ReadStream ? new FullScreen(stdin, stdout) : undefined;
}

/** A terminal of which the program has the whole screen until it closes it. */
class FullScreen {
  readonly #stdin: ReadStream;
  readonly #stdout: OutputStream;
  #hasEnded = false;
  #wake = (): void => {};
  #leave = (): void => {};
  readonly #left = new Promise<void>((resolve) => {
    this.#leave = resolve;
  });

  constructor(stdin: ReadStream, stdout: OutputStream) {
    this.#stdin = stdin;
    this.#stdout = stdout;
    stdin.setRawMode(true);
    stdin.on('data', this.#onKey).on('end', this.#end);
    for (const signal of END_SIGNALS) process.on(signal, this.#end);
    process.on('SIGWINCH', this.#onResize);
    stdout.write(ENTER);
  }

  /** Whether the end was requested, by a key or a signal. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Resolves when the work is done, or the end is requested: what the work waits for may never come. */
  async unlessEnded(work: Promise<void>): Promise<void> {
    await Promise.race([work, this.#left]);
  }

  /** Replaces what is shown. */
  draw(text: string): void {
    if (this.#hasEnded) return;
    const lines = printableOutput(text).replaceAll('\n', `${CLEAR_LINE}\r\n`);
    this.#stdout.write(`${HOME}${lines}${CLEAR_LINE}${CLEAR_BELOW}`);
  }

  /** Resolves after this time, in ms, or sooner: when the end is asked for, or the terminal has another size. */
  async wait(ms: number): Promise<void> {
    if (this.#hasEnded) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
  }

  /** Gives the terminal back as it was. */
  close(): void {
    for (const signal of END_SIGNALS) process.off(signal, this.#end);
    process.off('SIGWINCH', this.#onResize);
    this.#stdin.off('data', this.#onKey).off('end', this.#end).setRawMode(false).pause();
    this.#stdout.write(LEAVE);
  }

  readonly #onKey = (keys: Buffer): void => {
    const text = keys.toString(); // of several keys that were pressed meanwhile
    if (text === ESCAPE || END_KEYS.some((key) => text.includes(key))) this.#end();
  };

  readonly #onResize = (): void => this.#wake();

  readonly #end = (): void => {
    this.#hasEnded = true;
    this.#wake();
    this.#leave();
  };
}
