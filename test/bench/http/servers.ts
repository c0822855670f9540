import { resolve } from "node:path"

const root = resolve(import.meta.dir, "../../..")

/** The servers that are compared; ours is the first. */
export const programs = [
  { name: "ours", words: [process.execPath, "src/main.ts"] },
  { name: "framework alone", words: [process.execPath, "test/bench/http/framework.ts"] },
  { name: "bun + pg", words: [process.execPath, "test/bench/http/bun.ts"] },
  { name: "fastify + pg", words: ["node", "test/peers/fastify.mjs"] }
] as const

/** Starts a server as a process of its own; `base` is where it answers. */
export const started = async (
  { name, words }: (typeof programs)[number],
  environment: Readonly<Record<string, string>>
) => {
  const child = Bun.spawn([...words], {
    cwd: root,
    env: { ...process.env, ...environment },
    stderr: "inherit",
    stdout: "pipe"
  })
  let output = ""
  for await (const chunk of child.stdout) {
    output += new TextDecoder().decode(chunk)
    const base = /answers on (http:\S+)/.exec(output)?.[1]
    if (base !== undefined) return { base, child, name }
  }
  throw new Error(`${words.join(" ")} ended: ${output}`)
}
