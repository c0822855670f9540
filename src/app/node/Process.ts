/** Platform adapter: what the process was told from outside, by its environment and by signals. */

/** Names of the variables that the process was started with. */
export const variableNames = (): ReadonlyArray<string> => Object.keys(process.env)

/** Watches for the signals that ask a process to end; answers whether one has come. */
export const watchSignals = (): (() => boolean) => {
  let asked = false
  const note = () => {
    asked = true
  }
  process.once("SIGINT", note)
  process.once("SIGTERM", note)
  return () => asked
}
