/** Tells whoever waits for a connection, and for what is made of its bytes, that there may be more. */
export interface WakeUp {
  readonly ring: () => void
  /** Who is told from now on; nobody while nobody waits. */
  readonly tell: (waiter: () => void) => void
}

const nobody = () => {}

/** A wake-up for one waiter at a time. */
export const make = (): WakeUp => {
  let told = nobody
  return {
    ring: () => told(),
    tell: (waiter) => {
      told = waiter
    }
  }
}
