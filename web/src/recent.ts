// What was used last, and no more of it than so many.
export class Recent<Key, Value> {
  #most: number;
  #values = new Map<Key, Value>();

  constructor(most: number) {
    this.#most = most;
  }

  get(key: Key): Value | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    // A map lists its keys as they came.
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size > this.#most) this.#values.delete(this.#values.keys().next().value!);
  }

  /** Forgets `value`, where it is the key's. */
  forget(key: Key, value: Value): void {
    if (this.#values.get(key) === value) this.#values.delete(key);
  }

  values(): Value[] {
    return [...this.#values.values()];
  }

  clear(): void {
    this.#values.clear();
  }
}
