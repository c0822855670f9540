import { render } from "preact"
import { session } from "./api/Session.ts"
import { route, start } from "./Place.ts"
import { Frame } from "./parts/Frame.tsx"
import { Page } from "./parts/Page.tsx"
import { links, screenOf } from "./Screens.tsx"
import { Enter } from "./screens/Enter.tsx"

const Missing = () => (
  <Page title="Not found">
    <p>
      There is no such screen. <a href="#/sites">Go to your sites</a>
    </p>
  </Page>
)

/** The door, or the screen of the address: each address has a screen of its own, which begins anew. */
const Console = () => {
  if (session.value === null) return <Enter />
  const { segments } = route.value
  return (
    <Frame key={session.value.key} links={links}>
      <div key={segments.join("/")}>{screenOf(route.value) ?? <Missing />}</div>
    </Frame>
  )
}

start()
render(<Console />, document.body)
