import { mkdtempSync } from "node:fs"
import { join, resolve } from "node:path"

const root = resolve(import.meta.dir, "../../..")

/** The compared servers; ours is the first. */
export const programs = [
  { name: "ours", words: [process.execPath, "src/main.ts"] },
  { name: "framework alone", words: [process.execPath, "test/bench/http/framework.ts"] },
  { name: "bun + pg", words: [process.execPath, "test/bench/http/bun.ts"] },
  { name: "fastify + pg", words: ["node", "test/peers/fastify.mjs"] }
] as const

/** Starts a server as a separate process with its files in `folder`; `base` is its URL. */
export const started = async (
  { name, words }: (typeof programs)[number],
  environment: Readonly<Record<string, string>>,
  folder: string
) => {
  const place = mkdtempSync(join(folder, "server-"))
  const written = Bun.file(join(place, "output"))
  const log = Bun.file(join(place, "log"))
  const child = Bun.spawn([...words], {
    cwd: root,
    env: { ...process.env, ...environment },
    stderr: log,
    stdout: written
  })
  while (child.exitCode === null) {
    await Bun.sleep(50)
    const base = /(?:answers on|runs at) (http:\S+)/.exec(await written.text())?.[1]
    if (base !== undefined) return { base, child, name }
  }
  throw new Error(`${words.join(" ")} ended: ${await log.text()}`)
}
