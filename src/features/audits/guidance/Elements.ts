import { axeDocs, nameless, wrongAria } from "./Accessibility.ts"
import type { GuidanceTable } from "./Guidance.ts"

/** Roles, states and properties of WAI-ARIA. */
export const accessibilityAria: GuidanceTable = {
  "aria-allowed-attr": wrongAria(
    "aria-allowed-attr",
    "ARIA attributes do not fit the roles of their elements",
    "Leave only attributes that the role of each listed element supports",
    "Look the role up in WAI-ARIA; remove the attribute, or correct the role if that is the mistake."
  ),
  "aria-allowed-role": wrongAria(
    "aria-allowed-role",
    "Elements have roles that their HTML does not allow",
    "Give each listed element an allowed role or none",
    "Remove the role, or use an element whose allowed roles in ARIA in HTML include it."
  ),
  "aria-conditional-attr": wrongAria(
    "aria-conditional-attr",
    "ARIA attributes are used where they have no effect",
    "Use the listed attributes as their role requires",
    "Use the native state where there is one (checked instead of aria-checked), and row attributes only in tree grids."
  ),
  "aria-deprecated-role": wrongAria(
    "aria-deprecated-role",
    "Deprecated ARIA roles are used",
    "Replace the deprecated roles of the listed elements",
    "Use the successor that WAI-ARIA names, or no role."
  ),
  "aria-prohibited-attr": wrongAria(
    "aria-prohibited-attr",
    "ARIA attributes are used where they are prohibited",
    "Remove the prohibited attributes from the listed elements",
    "aria-label does nothing on plain div and span elements: write text, or give the element a fitting role."
  ),
  "aria-required-attr": wrongAria(
    "aria-required-attr",
    "Roles lack the attributes that they require",
    "Add the required attributes to the listed elements",
    "Add the state that the role requires (for example aria-checked) and keep it up to date in the script."
  ),
  "aria-required-children": wrongAria(
    "aria-required-children",
    "Roles lack the children that they require",
    "Give the listed elements the child roles that they require",
    "Put the required roles on the children (list and listitem, tablist and tab), or drop the parent's role."
  ),
  "aria-required-parent": wrongAria(
    "aria-required-parent",
    "Roles are outside the parent that they require",
    "Put the listed elements into the parent role that they require",
    "Add the parent's role to the container, or drop the child's role."
  ),
  "aria-roles": wrongAria(
    "aria-roles",
    "Role attributes have unknown values",
    "Give the listed elements valid roles",
    "Correct the spelling, or remove the role; abstract roles must not be used."
  ),
  "aria-text": wrongAria(
    "aria-text",
    "Text roles hide elements that can be focused",
    "Remove focusable elements from the listed text roles",
    "Drop role=text, or take links and buttons out of it."
  ),
  "aria-valid-attr": wrongAria(
    "aria-valid-attr",
    "ARIA attributes are misspelt",
    "Correct the names of the listed attributes",
    "Correct the spelling, or remove attributes that WAI-ARIA does not define."
  ),
  "aria-valid-attr-value": wrongAria(
    "aria-valid-attr-value",
    "ARIA attributes have invalid values",
    "Give the listed attributes valid values",
    "Use the allowed tokens; attributes that contain ids must point to elements that exist on the page."
  ),
  "presentation-role-conflict": wrongAria(
    "presentation-role-conflict",
    "Elements are marked as decoration but can be used",
    "Resolve the contradiction on the listed elements",
    "Remove role=none or role=presentation, or the tabindex and ARIA attributes beside it."
  ),
  "duplicate-id-aria": wrongAria(
    "duplicate-id-aria",
    "Ids that ARIA refers to exist twice",
    "Make the listed ids unique",
    "Generate the id per instance in the shared component and adapt the references to it."
  ),
  "aria-hidden-body": {
    summary: "The whole page is hidden from assistive technology",
    why: "Screen readers find an empty page.",
    goal: "Remove aria-hidden from the body",
    steps: [
      "Find what sets aria-hidden=true on body, often a dialog library.",
      "Hide the content beside the dialog instead, with inert, and undo it when the dialog closes."
    ],
    docs: axeDocs("aria-hidden-body")
  },
  "aria-hidden-focus": {
    summary: "Hidden elements can be focused",
    why: "Keyboard users land on something that screen readers do not announce.",
    goal: "Keep the focus out of the listed hidden elements",
    steps: [
      "Find the aria-hidden=true containers of the listed elements.",
      "Use inert or the hidden attribute on the container, or tabindex=-1 on what is inside."
    ],
    docs: axeDocs("aria-hidden-focus")
  }
}

/** Names and text alternatives. */
export const accessibilityNames: GuidanceTable = {
  "image-alt": {
    summary: "Images have no text alternative",
    why: "Screen readers read the file name or nothing, and search engines do not learn what the image shows.",
    goal: "Give every listed image a fitting alt attribute",
    steps: [
      "Find the template, component or content that renders each listed image.",
      "Describe what an informative image says, or what a linked image leads to, in its alt attribute.",
      'Give decorative images alt="", so that they are skipped; do not repeat text that stands beside the image.'
    ],
    docs: axeDocs("image-alt")
  },
  label: nameless(
    "label",
    "Form fields",
    "Add a label element whose for attribute equals the field's id, or wrap the field in its label; a placeholder is not a label."
  ),
  "button-name": nameless(
    "button-name",
    "Buttons",
    "Put text into the button, or aria-label on a button that shows only an icon."
  ),
  "link-name": nameless(
    "link-name",
    "Links",
    "Put text into the link; for a link around an image write the target into the image's alt, for an icon use aria-label."
  ),
  "select-name": nameless(
    "select-name",
    "Selection lists",
    "Add a label element whose for attribute equals the select's id."
  ),
  "input-button-name": nameless("input-button-name", "Input buttons", "Set the value attribute of the listed inputs."),
  "input-image-alt": nameless(
    "input-image-alt",
    "Image buttons",
    "Write the action of the button into its alt attribute."
  ),
  "object-alt": nameless("object-alt", "Embedded objects", "Put alternative text between the tags, or use aria-label."),
  "svg-img-alt": nameless(
    "svg-img-alt",
    "SVG images",
    "Add a title element as first child, or aria-label; use aria-hidden=true for decoration."
  ),
  "frame-title": nameless(
    "frame-title",
    "Frames",
    "Add a title attribute that names the content of the frame, unlike any other frame's."
  ),
  "aria-command-name": nameless(
    "aria-command-name",
    "Elements with a command role",
    "Put text into the element, or use aria-label."
  ),
  "aria-dialog-name": nameless("aria-dialog-name", "Dialogs", "Point aria-labelledby to the dialog's heading."),
  "aria-input-field-name": nameless(
    "aria-input-field-name",
    "ARIA input fields",
    "Point aria-labelledby to the visible label, or use aria-label."
  ),
  "aria-meter-name": nameless(
    "aria-meter-name",
    "Meters",
    "Point aria-labelledby to the visible label, or use aria-label."
  ),
  "aria-progressbar-name": nameless(
    "aria-progressbar-name",
    "Progress bars",
    "Name what is in progress with aria-label or aria-labelledby."
  ),
  "aria-toggle-field-name": nameless(
    "aria-toggle-field-name",
    "Switches and checkboxes",
    "Point aria-labelledby to the visible label, or use aria-label."
  ),
  "aria-tooltip-name": nameless("aria-tooltip-name", "Tooltips", "Put text into the element with the tooltip role."),
  "aria-treeitem-name": nameless("aria-treeitem-name", "Tree items", "Put text into the item, or use aria-label."),
  "empty-heading": nameless(
    "empty-heading",
    "Headings",
    "Put text into the heading, or remove it if it only makes space."
  ),
  "image-redundant-alt": {
    summary: "Text alternatives repeat the text beside the image",
    why: "Screen readers say the same words twice.",
    goal: "Remove the repetition",
    steps: [
      "Find the component that renders each listed image.",
      'Set alt="" where the text beside the image says the same, or describe what the text does not.'
    ],
    docs: axeDocs("image-redundant-alt")
  },
  "label-content-name-mismatch": {
    summary: "Accessible names differ from the visible labels",
    why: "People who use voice control say the visible label, and nothing happens.",
    goal: "Make the visible label a part of the accessible name",
    steps: ["Find the aria-label of each listed element.", "Begin it with the visible text, or remove it."],
    docs: axeDocs("label-content-name-mismatch")
  },
  "video-caption": {
    summary: "Videos have no captions",
    why: "People who cannot hear, or have the sound off, miss what is said.",
    goal: "Give the listed videos captions",
    steps: [
      "Produce a WebVTT file with what is said and the sounds that matter.",
      "Add it as a track element with kind=captions, srclang and label."
    ],
    docs: axeDocs("video-caption")
  },
  "form-field-multiple-labels": {
    summary: "Form fields have several labels",
    why: "Screen readers may announce the first, the last or all of them.",
    goal: "Keep one label for each listed field",
    steps: [
      "Find the labels that point to each listed field.",
      "Merge them into one, or move hints to aria-describedby."
    ],
    docs: axeDocs("form-field-multiple-labels")
  },
  "link-in-text-block": {
    summary: "Links in running text differ from it by colour only",
    why: "People with poor colour vision cannot find these links.",
    goal: "Make the listed links recognisable without colour",
    steps: ["Underline links in running text in the base styles.", "Keep the underline on hover and focus."],
    docs: axeDocs("link-in-text-block")
  }
}
