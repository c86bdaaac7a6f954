
// Once the model is open, drop the file of the test on the page. Report what the page shows then, or any error before.
(async () => {
  const settled = (test) => new Promise((resolve) => {
    const check = () => test() ? resolve() : setTimeout(check, 20);
    check();
  });
  const report = () => fetch("report", {
    method: "POST",
    body: JSON.stringify({
      status: status.textContent,
      labels: [...labels.rows].map((row) => [...row.cells].map((cell) => cell.textContent)),
    }),
  });
  const opening = status.textContent;
  await settled(() => status.textContent !== opening);
  if (!drop.classList.contains("ready")) return report();
  const opened = status.textContent;
  const transfer = new DataTransfer();
  transfer.items.add(new File([await (await fetch("dropped")).blob()], "dropped"));
  drop.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, cancelable: true }));
  await settled(() => status.textContent !== opened && status.textContent !== "…");
  await report();
})();
