import { useAction } from "../api/Action.ts"
import { enter, reason } from "../api/Session.ts"
import { Failed } from "../parts/Failed.tsx"
import { Field } from "../parts/Field.tsx"
import { Page } from "../parts/Page.tsx"

/** The door: a key, or a link that the node's command prints. */
export const Enter = () => {
  const entering = useAction(
    async (key: string) => {
      const failure = await enter(key)
      return failure === null ? { data: null, failure, meta: {}, status: 200 } : { failure }
    },
    () => {}
  )
  return (
    <main class="door" id="main">
      <Page title="Findable">
        {reason.value !== null && <p role="status">{reason.value}</p>}
        <Field
          label="API key"
          action="Enter"
          isSecret
          isBusy={entering.isBusy}
          onSubmit={entering.run}
          hint="The key stays in this tab, and is gone when the tab is closed."
        />
        {entering.failure !== null && <Failed failure={entering.failure} />}
        <p>
          No key? Run <code>npx --no-install findable console</code> on the server (in a checkout,{" "}
          <code>npm run -s cli -- console</code>) and open the link it prints.
        </p>
      </Page>
    </main>
  )
}
