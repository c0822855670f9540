/** A command of the README, and what the README shows of its answer, or of those of the commands just before it. */
export interface Step {
  readonly command: string
  readonly shown: string
}

const fence = /^```(\w*)\n([\s\S]*?)^```$/gm

/** The commands of a block, without their comments; a line that ends with a backslash goes on. */
const commandsOf = (block: string) =>
  block
    .replace(/\\\n\s*/g, "")
    .split("\n")
    .map((line) => line.replace(/\s+#\s.*$/, "").trim())
    .filter((line) => line !== "")

/** Every command that a guide tells its readers to type, in order: its blocks of shell, each with the block of output that follows it. */
export const stepsOf = (guide: string): ReadonlyArray<Step> => {
  const blocks = Array.from(guide.matchAll(fence), ([, language = "", text = ""]) => ({ language, text }))
  return blocks.flatMap(({ language, text }, at) => {
    const next = blocks[at + 1]
    const shown = next === undefined || next.language === "sh" ? "" : next.text
    const commands = language === "sh" ? commandsOf(text) : []
    return commands.map((command, index) => ({ command, shown: index === commands.length - 1 ? shown : "" }))
  })
}

const namesIn = (text: string) => new Set(Array.from(text.matchAll(/"(\w+)":/g), ([, name = ""]) => name))

const headersIn = (text: string) =>
  new Set(Array.from(text.matchAll(/^([a-z][a-z-]*): /gim), ([, name = ""]) => name.toLowerCase()))

const plain = (text: string) => text.split("\n").map((line) => line.replace(/\d+/g, "0").trimEnd())

/** What the README shows and the answers do not have: a status, names of headers, names of fields; of what is no JSON, lines, whatever their numbers. */
export const missing = (shown: string, answered: string): ReadonlyArray<string> => {
  if (!shown.includes("{")) {
    const lines = new Set(plain(answered))
    return plain(shown).filter((line) => line !== "…" && line !== "" && !lines.has(line))
  }
  const [status] = /^HTTP\/1\.1 \d+ .*$/m.exec(shown) ?? []
  const fields = namesIn(answered)
  const headers = headersIn(answered)
  return [
    ...(status === undefined || answered.includes(status) ? [] : [status]),
    ...[...namesIn(shown)].filter((name) => !fields.has(name)),
    ...(status === undefined ? [] : [...headersIn(shown)].filter((name) => !headers.has(name)))
  ]
}
