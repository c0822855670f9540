/** Platform adapter: environment and signals of the process. */

/** Names of the environment variables. */
export const variableNames = (): ReadonlyArray<string> => Object.keys(process.env)

/** Watches for SIGINT and SIGTERM; the function says whether one has come. */
export const watchSignals = (): (() => boolean) => {
  let isSignalled = false
  const note = () => {
    isSignalled = true
  }
  process.once("SIGINT", note)
  process.once("SIGTERM", note)
  return () => isSignalled
}
