import { retrying } from '@retry/inprocess';

const again = retrying({ maxAttempts: 5, backoff: { type: 'exponential', base: '10ms' } });

/** A client whose method fails twice. */
class Users {
  #calls = 0;

  @again
  async load(id: string): Promise<string> {
    this.#calls += 1;
    if (this.#calls < 3) throw new Error('busy');
    return `user ${id} after ${this.#calls} calls`;
  }
}

console.log(await new Users().load('42')); // => user 42 after 3 calls
