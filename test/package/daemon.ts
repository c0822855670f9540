/** A line of the log, or the banner, where the log is JSON. */
export interface Line {
  readonly message?: string
  readonly url?: string
  readonly docs?: string
  readonly key?: string
  readonly key_file?: string
  readonly data_directory?: string
}

const linesOf = (text: string): ReadonlyArray<Line> =>
  text
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))

const collect = async (stream: ReadableStream<Uint8Array>, hear: (text: string) => void) => {
  const decoder = new TextDecoder()
  for await (const piece of stream) hear(decoder.decode(piece, { stream: true }))
}

/** Starts a server with JSON logs, in its own environment, and waits for its banner. */
export const daemon = async (words: ReadonlyArray<string>, cwd: string, env: Readonly<Record<string, string>>) => {
  const child = Bun.spawn([...words], { cwd, env, stderr: "pipe", stdin: "ignore", stdout: "pipe" })
  const said = { err: "", out: "" }
  const { promise: banner, reject, resolve } = Promise.withResolvers<Line>()
  const out = collect(child.stdout, (text) => {
    said.out += text
    const [line] = said.out.includes("\n") ? linesOf(said.out) : []
    if (line !== undefined) resolve(line)
  })
  const err = collect(child.stderr, (text) => {
    said.err += text
  })
  child.exited.then((code) => reject(new Error(`${words.join(" ")} ended with ${code}: ${said.out}${said.err}`)))
  return {
    banner: await banner,
    /** Everything on stderr so far. */
    log: () => said.err,
    /** Sends SIGTERM twice, like a service manager with a program between, and returns the exit code with the logged messages. */
    stop: async () => {
      child.kill("SIGTERM")
      child.kill("SIGTERM")
      const code = await child.exited
      await Promise.all([out, err])
      return { code, messages: linesOf(said.err).map(({ message }) => message) }
    }
  }
}
