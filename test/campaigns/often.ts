import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"

const root = resolve(import.meta.dir, "../..")

/** The test files that repeat themselves: all that import `often.ts`. */
const repeating = readdirSync(join(root, "test"), { encoding: "utf8", recursive: true })
  .filter((name) => name.endsWith(".test.ts") && !name.includes("node_modules"))
  .map((name) => join("test", name))
  .filter((path) => /from "[./]+\/often\.ts"/.test(readFileSync(join(root, path), "utf8")))
  .toSorted()

/** `bun run campaign often [times] [file …]`: tests that repeat a costly step with other data do so many times more than in the suite. */
export const oftener = async (words: ReadonlyArray<string>): Promise<boolean> => {
  const [times = "8", ...named] = words
  const files = named.length === 0 ? repeating : named
  const command = [process.execPath, "test", "--timeout", `${120_000 * Number(times)}`, ...files]
  const env = { ...process.env, FINDABLE_TEST_OFTEN: times }
  return (await Bun.spawn(command, { cwd: root, env, stdio: ["inherit", "inherit", "inherit"] }).exited) === 0
}
