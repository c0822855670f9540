import { describe, expect, test } from "bun:test"
import { resolve } from "node:path"
import { Glob } from "bun"
import { textsOf } from "../../../literals.ts"
import { strayWords } from "../../../words.ts"

const folder = resolve(import.meta.dir, "../../../../src/app/console")
const files = Array.from(new Glob("**/*.{ts,tsx}").scanSync(folder)).toSorted()
const textsIn = async (file: string) =>
  textsOf(await Bun.file(resolve(folder, file)).text(), file.endsWith(".tsx") ? "tsx" : "ts")

describe("the texts of the console", () => {
  test.each(files)("use the words of the glossary in %s", async (file) => {
    const texts = await textsIn(file)
    const strays = texts.flatMap((text) =>
      strayWords(text, /\/Visibility/.test(file)).map((word) => `${file}: ${word} in “${text}”`)
    )
    expect(strays).toEqual([])
  })

  test("are found in JSX, attributes, templates and the nouns of counts, and nowhere else", () => {
    const source = `const one = (n: number) => (
      <p class="address" title="A title">
        {n > 1 && \`\${plural(n, "fault")} of /runs/\${n}\`}
        Two <b>words</b>
        {n === "Not me" ? "Yes" : "no"}
      </p>
    )`
    expect(textsOf(source)).toEqual(["A title", "fault", "{} of /runs/{}", "Two ", "words", "Yes"])
  })

  test("are found in every screen", async () => {
    const screens = files.filter((file) => /\/screens\/.*\.tsx$/.test(file))
    const without = await Promise.all(screens.map(async (file) => ((await textsIn(file)).length === 0 ? [file] : [])))
    expect(screens).not.toBeEmpty()
    expect(without.flat()).toEqual([])
  })
})
