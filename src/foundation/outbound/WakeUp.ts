/** Notifies the reader of a connection, or of bytes decoded from it, that there may be more to read. */
export interface WakeUp {
  readonly ring: () => void
  /** Sets the callback, replacing the one before. */
  readonly listen: (listener: () => void) => void
}

/** A wake-up for one listener at a time. */
export const make = (): WakeUp => {
  let current = () => {}
  return {
    ring: () => current(),
    listen: (listener) => {
      current = listener
    }
  }
}
