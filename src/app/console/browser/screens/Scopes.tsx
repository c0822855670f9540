import type { Signal } from "@preact/signals"
import { may } from "../api/Session.ts"
import { Check } from "../parts/Acts.tsx"
import { count } from "../parts/Formats.ts"
import { presets, scopeGroups } from "./KeyWords.ts"

/** The scopes of a key, as boxes to tick. */
export const Scopes = ({ chosen }: { readonly chosen: Signal<ReadonlyArray<string>> }) => (
  <fieldset class="events">
    <legend>
      What the key may do <span class="quiet">({count(chosen.value.length)} selected)</span>
    </legend>
    <p class="quiet">A key cannot get more than your own key has.</p>
    <p class="actions">
      {presets.map(({ scopesOf, text }) => (
        <button
          key={text}
          type="button"
          onClick={() => {
            chosen.value = scopesOf(may)
          }}
        >
          {text}
        </button>
      ))}
    </p>
    {scopeGroups.map(({ scopes, title }) => (
      <div key={title}>
        <h3>{title}</h3>
        {scopes.map(({ hint, scope, text }) => (
          <Check
            key={scope}
            label={text}
            hint={
              <>
                <code>{scope}</code> {hint}
              </>
            }
            isOn={chosen.value.includes(scope)}
            turn={(isOn) => {
              chosen.value = isOn ? [...chosen.value, scope] : chosen.value.filter((one) => one !== scope)
            }}
          />
        ))}
      </div>
    ))}
  </fieldset>
)
