import { render } from "preact";
import { keepTab } from "./api.ts";
import { App } from "./app.tsx";
import "./style.css";

keepTab();
render(<App />, document.body);
