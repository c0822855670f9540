import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"

export const folder = resolve(import.meta.dir, "../../../../src/app/node/deploy")

export const text = (name: string) => readFileSync(join(folder, name), "utf8")

/** An instruction of a Dockerfile with its arguments; continued lines are joined. */
export interface Instruction {
  readonly name: string
  readonly rest: string
}

export const instructions: ReadonlyArray<Instruction> = text("Dockerfile")
  .replace(/^#.*\n/gm, "")
  .replace(/\\\n\s*/g, "")
  .split("\n")
  .filter((line) => line.trim() !== "")
  .map((line) => ({ name: line.split(" ", 1)[0] ?? "", rest: line.slice(line.indexOf(" ") + 1) }))

/** The arguments of all instructions with a name, in order. */
export const instructed = (name: string) => instructions.filter((each) => each.name === name).map(({ rest }) => rest)

/** The variables of the image. */
export const imageEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  instructed("ENV").flatMap((rest) =>
    Array.from(rest.matchAll(/(\w+)=(\S+)/g), ([, name = "", value = ""]) => [name, value])
  )
)

/** The settings in a section of a unit; a repeated setting has all its values. */
export const unit = (name: string) => {
  const settings = new Map<string, ReadonlyArray<string>>()
  for (const [, key = "", value = ""] of text(name).matchAll(/^(\w+)=(.*)$/gm))
    settings.set(key, [...(settings.get(key) ?? []), value])
  const all = (key: string) => settings.get(key) ?? []
  return {
    all,
    environment: Object.fromEntries(
      all("Environment").map((pair) => [pair.split("=")[0] ?? "", pair.replace(/^\w+=/, "")])
    ),
    one: (key: string) => all(key)[0] ?? ""
  }
}
