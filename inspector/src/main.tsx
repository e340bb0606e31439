import { render } from "preact";
import { App } from "./shell/app.tsx";
import { connectToFirst } from "./state/connect.ts";
import { startSession } from "./state/session.ts";
import { listenToKeys } from "./state/shortcuts.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/shell.css";
import "./styles/form.css";
import "./styles/content.css";
import "./styles/wire.css";
import "./styles/pages.css";

startSession(() => {
  connectToFirst().catch(() => {
    // The connection in the sidebar shows why it failed.
  });
});
listenToKeys();
const place = document.getElementById("app");
if (place) render(<App />, place);
