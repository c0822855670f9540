import type { Run } from "../api/Contract.ts"
import { Select } from "../parts/Forms.tsx"

type Render = Run["request"]["render"]

/** The names of the choices. */
export const choices: Readonly<Record<Render, string>> = { always: "Always", auto: "Automatic", never: "Never" }

const isRender = (text: string): text is Render => Object.hasOwn(choices, text)

/** Which pages of a crawl a browser renders. */
export const RenderChoice = ({
  choose,
  render
}: {
  readonly render: Render
  readonly choose: (render: Render) => void
}) => (
  <Select
    label="Render JavaScript"
    options={{ auto: choices.auto, always: choices.always, never: choices.never }}
    value={render}
    choose={(chosen) => {
      if (isRender(chosen)) choose(chosen)
    }}
  />
)
